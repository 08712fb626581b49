package outbox.cli;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import outbox.admin.data.OperatedDatabase;
import outbox.admin.json.JsonObject;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxStatus;
import outbox.model.EventStatus;
import outbox.model.MessageId;

/** A change of dead messages by their ids. */
final class SomeDead {
  private static final int BATCH = 500;
  private static final int NAMED = 20;

  private final DeadLetterCommand command;
  private final OperatedDatabase database;
  private final Set<String> ids;
  private final List<String> tried = new ArrayList<>();

  SomeDead(DeadLetterCommand command) {
    this.command = command;
    this.ids = new LinkedHashSet<>(command.ids);
    refuseConditions();
    ids.forEach(this::requireValid);
    this.database = command.queue.open();
  }

  /** With ids the sender is part of the name, and everything else would be ignored. */
  private void refuseConditions() {
    Set<String> given = new LinkedHashSet<>(command.filter.given().keySet());
    if (command.queue.inbox) {
      given.remove("source");
    }
    if (!given.isEmpty()) {
      throw new WrongCallException("ids and conditions " + given + " exclude each other");
    }
  }

  private void requireValid(String id) {
    Object unused = command.queue.inbox ? key(id) : new MessageId(id);
  }

  private InboxKey key(String id) {
    return InboxKeys.of(command.filter.source, id);
  }

  int call() {
    if (command.confirm.dryRun) {
      tried.addAll(ids);
      return report(ids.stream().filter(this::isDead).toList());
    }
    if (!command.confirmed(Shown.messages(ids.size()))) {
      return Main.NOT_CONFIRMED;
    }
    try (Interruptible work = new Interruptible(command.err())) {
      return report(change(work));
    }
  }

  private boolean isDead(String id) {
    return command.queue.inbox
        ? database
            .inbox()
            .find(key(id), false)
            .filter(message -> message.row().status() == InboxStatus.DEAD)
            .isPresent()
        : database
            .events()
            .find(id, false)
            .filter(event -> event.row().status() == EventStatus.DEAD)
            .isPresent();
  }

  private List<String> change(Interruptible work) {
    List<String> all = List.copyOf(ids);
    List<String> changed = new ArrayList<>();
    for (int from = 0; from < all.size() && !work.isStopped(); from += BATCH) {
      List<String> batch = all.subList(from, Math.min(all.size(), from + BATCH));
      changed.addAll(command.queue.inbox ? changeInbox(batch) : changeOutbox(batch));
      tried.addAll(batch);
    }
    return changed;
  }

  private List<String> changeInbox(List<String> batch) {
    return batch.stream().filter(id -> command.change(database, key(id))).toList();
  }

  private List<String> changeOutbox(List<String> batch) {
    Set<MessageId> changed =
        command.change(
            database.events().deadLetters(), batch.stream().map(MessageId::new).toList());
    return batch.stream().filter(id -> changed.contains(new MessageId(id))).toList();
  }

  private int report(List<String> changed) {
    List<String> others = new ArrayList<>(tried);
    others.removeAll(new LinkedHashSet<>(changed));
    boolean dryRun = command.confirm.dryRun;
    boolean stopped = tried.size() < ids.size();
    if (command.json) {
      command
          .out()
          .println(
              new JsonObject()
                  .put("action", command.verb())
                  .put("dryRun", dryRun)
                  .put(dryRun ? "matchedIds" : "changedIds", changed)
                  .put("notDead", others)
                  .put("stopped", stopped));
    } else {
      String did = dryRun ? "would " + command.verb() : command.past();
      String end = stopped ? " before it was stopped; the same command continues" : "";
      command.out().println(did + " " + Shown.messages(changed.size()) + end);
      others.stream()
          .limit(NAMED)
          .forEach(id -> command.err().println("not dead, or not there: " + Shown.line(id)));
      if (others.size() > NAMED) {
        command.err().println("and " + Shown.number(others.size() - NAMED) + " more like that");
      }
    }
    return others.isEmpty() && !stopped ? 0 : Main.FAILED;
  }
}
