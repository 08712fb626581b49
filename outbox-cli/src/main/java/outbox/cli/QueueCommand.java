package outbox.cli;

import outbox.admin.json.JsonObject;
import outbox.admin.json.StateJson;
import outbox.admin.metrics.Health;
import outbox.admin.metrics.MetricsSnapshot;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the commands on an outbox or an inbox have in common. */
abstract class QueueCommand extends Subcommand {
  @Mixin QueueOptions queue = new QueueOptions();

  @Option(names = "--json", description = "as JSON, for programs")
  boolean json;

  /** Where tables go; nothing is cut for a file or a pipe. */
  final Screen screen() {
    boolean shown = terminal().showsOutput();
    return new Screen(
        out(),
        shown ? terminal().columns() : Screen.UNLIMITED,
        shown && System.getenv("NO_COLOR") == null);
  }

  /** How the queue is, with all topics and tenants. */
  static JsonObject state(MetricsSnapshot snapshot, Health health) {
    return StateJson.state(snapshot, health, Integer.MAX_VALUE);
  }
}
