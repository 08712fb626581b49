package outbox.cli;

import java.util.stream.Collectors;
import outbox.Bulk;
import outbox.DeadLetters;
import outbox.admin.json.JsonObject;
import outbox.model.DeadCount;
import outbox.model.DeadLetterFilter;

/** A change of all dead messages that a filter means: counted first, then asked, then done. */
final class AllDead {
  private final DeadLetterCommand command;
  private final DeadLetterFilter meant;
  private final DeadLetters letters;
  private final DeadCount count;

  AllDead(DeadLetterCommand command) {
    this.command = command;
    this.meant = command.filter.dead(command.queue.inbox);
    this.letters = command.queue.deadLetters(command.queue.open());
    this.count = letters.count(meant);
  }

  int call() {
    if (command.confirm.dryRun || isNone()) {
      report(0, false);
      return 0;
    }
    if (!command.confirmed(found() + conditions())) {
      return Main.NOT_CONFIRMED;
    }
    try (Interruptible work = new Interruptible(command.err())) {
      long changed = change(work);
      report(changed, work.isStopped());
      return work.isStopped() ? Main.FAILED : 0;
    }
  }

  private boolean isNone() {
    return count.number() == 0 && count.exact();
  }

  private String found() {
    return (count.exact() ? "" : "at least ")
        + (count.number() == 1
            ? "1 dead message"
            : Shown.number(count.number()) + " dead messages");
  }

  private String conditions() {
    var given = command.filter.given();
    return given.isEmpty()
        ? ", all there are,"
        : given.entrySet().stream()
            .map(entry -> entry.getKey() + " " + Shown.line(entry.getValue().toString()))
            .collect(Collectors.joining(", ", " (", ")"));
  }

  private long change(Interruptible work) {
    Bulk bulk = command.bulk().stop(work::isStopped);
    if (command.json) {
      return command.change(letters, meant, bulk);
    }
    long total = count.exact() ? count.number() : 0;
    try (Progress progress =
        new Progress(command.err(), command.terminal(), command.verb(), total, command.stalled())) {
      return command.change(
          letters,
          meant,
          bulk.progress(
              changed -> {
                progress.at(changed);
                return true;
              }));
    }
  }

  private void report(long changed, boolean stopped) {
    String verb = command.verb();
    if (command.json) {
      command
          .out()
          .println(
              new JsonObject()
                  .put("action", verb)
                  .put("dryRun", command.confirm.dryRun)
                  .put("matched", count.number())
                  .put("exact", count.exact())
                  .put("changed", changed)
                  .put("stopped", stopped));
    } else if (isNone()) {
      command.out().println("no dead message is like that; nothing to " + verb);
    } else if (command.confirm.dryRun) {
      command.out().println("would " + verb + " " + found() + "; nothing was changed");
    } else {
      String end = stopped ? " before it was stopped; the same command continues" : "";
      command.out().println(command.past() + " " + Shown.messages(changed) + end);
    }
  }
}
