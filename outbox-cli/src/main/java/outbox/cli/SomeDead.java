package outbox.cli;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import outbox.DeadLetters;
import outbox.admin.data.OperatedDatabase;
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
      return report(ids.stream().filter(this::isDead).toList());
    }
    if (!command.confirmed(Shown.messages(ids.size()))) {
      return Main.NOT_CONFIRMED;
    }
    return report(command.queue.inbox ? changeInbox() : changeOutbox());
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

  private List<String> changeInbox() {
    return ids.stream().filter(id -> command.change(database, key(id))).toList();
  }

  private List<String> changeOutbox() {
    DeadLetters letters = database.events().deadLetters();
    List<MessageId> all = ids.stream().map(MessageId::new).toList();
    Set<MessageId> changed = new LinkedHashSet<>();
    for (int from = 0; from < all.size(); from += BATCH) {
      changed.addAll(
          command.change(letters, all.subList(from, Math.min(all.size(), from + BATCH))));
    }
    return all.stream().filter(changed::contains).map(MessageId::value).toList();
  }

  private int report(List<String> changed) {
    List<String> others = new ArrayList<>(ids);
    others.removeAll(new LinkedHashSet<>(changed));
    boolean dryRun = command.confirm.dryRun;
    if (command.json) {
      command
          .out()
          .println(
              new JsonFields()
                  .put("action", command.verb())
                  .put("dryRun", dryRun)
                  .put(dryRun ? "matchedIds" : "changedIds", changed)
                  .put("notDead", others));
    } else {
      String did = dryRun ? "would " + command.verb() : command.past();
      command.out().println(did + " " + Shown.messages(changed.size()));
      others.stream()
          .limit(NAMED)
          .forEach(id -> command.err().println("not dead, or not there: " + Shown.line(id)));
      if (others.size() > NAMED) {
        command.err().println("and " + Shown.number(others.size() - NAMED) + " more like that");
      }
    }
    return others.isEmpty() ? 0 : Main.FAILED;
  }
}
