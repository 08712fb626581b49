package outbox.cli;

import java.util.List;
import java.util.Set;
import outbox.Bulk;
import outbox.DeadLetters;
import outbox.admin.data.OperatedDatabase;
import outbox.inbox.InboxKey;
import outbox.model.DeadLetterFilter;
import outbox.model.MessageId;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Puts dead messages aside for good. */
@Command(
    name = "discard",
    description =
        "Puts dead messages aside for good: they count as done without having been handled.")
final class DiscardCommand extends DeadLetterCommand {
  @Option(names = "--reason", description = "why; required, since it takes the place of the error")
  String reason = "";

  @Override
  public Integer call() {
    if (reason.isBlank()) {
      throw new WrongCallException(
          "--reason must be given, and not be blank: it is all that is left to read");
    }
    return super.call();
  }

  @Override
  String verb() {
    return "discard";
  }

  @Override
  String past() {
    return "discarded";
  }

  @Override
  String stalled() {
    return "waiting for the database";
  }

  @Override
  long change(DeadLetters letters, DeadLetterFilter meant, Bulk bulk) {
    return letters.discard(meant, reason, bulk);
  }

  @Override
  Set<MessageId> change(DeadLetters letters, List<MessageId> some) {
    return letters.discard(some, by, reason);
  }

  @Override
  boolean change(OperatedDatabase database, InboxKey key) {
    return database.inbox().discard(key, by, reason);
  }
}
