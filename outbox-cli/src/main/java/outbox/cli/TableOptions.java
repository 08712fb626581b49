package outbox.cli;

import outbox.join.JoinCoordinator;
import picocli.CommandLine.Option;

/** What the tables are called. */
final class TableOptions {
  @Option(
      names = "--table",
      paramLabel = "<table>",
      defaultValue = "outbox_event",
      description = "table of the events (default: ${DEFAULT-VALUE})")
  String outbox = "";

  @Option(
      names = "--inbox-table",
      paramLabel = "<table>",
      defaultValue = "outbox_inbox",
      description = "table of the inbox (default: ${DEFAULT-VALUE})")
  String inbox = "";

  @Option(
      names = "--join-table",
      paramLabel = "<table>",
      defaultValue = "outbox_join",
      description = "table of the joins (default: ${DEFAULT-VALUE})")
  String joins = "";

  @Option(
      names = "--wait-topic",
      paramLabel = "<topic>",
      defaultValue = JoinCoordinator.DEFAULT_WAIT_TOPIC,
      description =
          "topic of waits of joins, which are neither counted nor listed (default:"
              + " ${DEFAULT-VALUE})")
  String waitTopic = "";
}
