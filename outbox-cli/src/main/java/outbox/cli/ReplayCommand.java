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

/** Gives dead messages all their attempts back. */
@Command(
    name = "replay",
    description = "Replays dead messages: some by their ids, or all that meet conditions.")
final class ReplayCommand extends DeadLetterCommand {
  @Option(
      names = "--max-backlog",
      defaultValue = "2000",
      description =
          "wait, 10s a batch at the most, while more than this are due and not taken (default:"
              + " ${DEFAULT-VALUE})")
  int maxBacklog;

  @Option(
      names = "--failed-only",
      description = "run only the listeners that are not done yet; without it all of them run")
  boolean failedOnly;

  @Override
  String verb() {
    return "replay";
  }

  @Override
  String past() {
    return "replayed";
  }

  @Override
  String stalled() {
    return "waiting for workers";
  }

  @Override
  Bulk bulk() {
    requirePositive("--max-backlog", maxBacklog);
    return super.bulk().maxBacklog(maxBacklog).failedOnly(failedOnly);
  }

  @Override
  long change(DeadLetters letters, DeadLetterFilter meant, Bulk bulk) {
    return letters.replay(meant, bulk);
  }

  @Override
  Set<MessageId> change(DeadLetters letters, List<MessageId> some) {
    return letters.replay(some, by, failedOnly);
  }

  @Override
  boolean change(OperatedDatabase database, InboxKey key) {
    return database.inbox().replay(key, by);
  }
}
