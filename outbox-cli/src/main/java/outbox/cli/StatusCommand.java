package outbox.cli;

import java.util.List;
import outbox.admin.data.DatabaseFacts;
import outbox.admin.data.NodeRow;
import outbox.admin.data.OperatedDatabase;
import outbox.admin.json.StateJson;
import outbox.admin.metrics.Health;
import outbox.admin.metrics.HealthThresholds;
import outbox.admin.metrics.MetricsSnapshot;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** One look at everything that matters. */
@Command(
    name = "status",
    description = "Shows health, figures, topics, and who holds leases; ends with 1 if unhealthy.")
final class StatusCommand extends QueueCommand {
  @Option(
      names = "--fail-on",
      defaultValue = "UNHEALTHY",
      description = "end with 1 from here on: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
  Verdict failOn = Verdict.UNHEALTHY;

  enum Verdict {
    DEGRADED,
    UNHEALTHY
  }

  @Override
  public Integer call() {
    OperatedDatabase database = queue.open();
    MetricsSnapshot snapshot = queue.snapshot(database);
    Health health = Health.of(snapshot, HealthThresholds.DEFAULT);
    List<NodeRow> nodes = queue.inbox ? List.of() : database.events().nodes();
    DatabaseFacts facts = queue.inbox ? DatabaseFacts.UNKNOWN : database.facts();
    if (json) {
      out()
          .println(
              state(snapshot, health)
                  .put("nodes", StateJson.nodes(nodes, snapshot.at()))
                  .put("database", StateJson.facts(facts))
                  .put("name", database.name())
                  .put("product", database.product())
                  .put("table", queue.tableName()));
    } else {
      String title = queue.tableName() + " of " + database.name() + " (" + database.product() + ")";
      new StatusReport(screen(), snapshot, health).print(title, nodes, facts);
    }
    return fails(health) ? Main.FAILED : 0;
  }

  private boolean fails(Health health) {
    return switch (health.status()) {
      case OK -> false;
      case DEGRADED -> failOn == Verdict.DEGRADED;
      case UNHEALTHY -> true;
    };
  }
}
