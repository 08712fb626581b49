package outbox.cli;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.DatabaseFacts;
import outbox.admin.data.NodeRow;
import outbox.admin.metrics.Health;
import outbox.admin.metrics.MetricsSnapshot;

/** The state of a queue for people. */
record StatusReport(Screen screen, MetricsSnapshot snapshot, Health health) {
  private static final int MAX_TOPICS = 20;

  void print(String title, List<NodeRow> nodes, DatabaseFacts facts) {
    screen.line(screen.paint(Shown.line(title), Ink.STRONG));
    Fields fields = new Fields();
    fields.add("health", health.status());
    health.reasons().forEach(reason -> fields.add("", reason));
    figures(fields);
    storage(fields, facts);
    fields.print(screen);
    topics();
    nodes(nodes);
  }

  private void figures(Fields fields) {
    fields
        .add("backlog", Shown.count(snapshot.backlog()) + leased())
        .add("scheduled", Shown.count(snapshot.scheduled()))
        .add("failing", failing())
        .add("dead", Shown.count(snapshot.dead()))
        .add("oldest", snapshot.oldestAge().isZero() ? "" : Shown.age(snapshot.oldestAge()))
        .add("done", done());
  }

  private String leased() {
    return snapshot.backlog().value() == 0
        ? ""
        : ", " + Shown.count(snapshot.leased()) + " of them being worked on";
  }

  private String failing() {
    long often = snapshot.oldFailures().value();
    return Shown.count(snapshot.failedPending())
        + (often == 0 ? "" : ", " + Shown.count(snapshot.oldFailures()) + " of them often");
  }

  private String done() {
    Duration window = snapshot.activity().window();
    return Shown.rate(snapshot.activity().throughputPerSecond())
        + " in the last "
        + Shown.age(window)
        + ", "
        + Shown.percent(snapshot.activity().failureRatio())
        + " of deliveries failed";
  }

  private static void storage(Fields fields, DatabaseFacts facts) {
    fields
        .add("table", size(facts.tableBytes(), facts.indexBytes()))
        .add("dead rows", facts.deadTuples() == null ? null : Shown.number(facts.deadTuples()))
        .add(
            "snapshot",
            facts.oldestSnapshot() == null
                ? null
                : "the oldest is " + Shown.age(facts.oldestSnapshot()) + " old");
  }

  private static @Nullable String size(@Nullable Long table, @Nullable Long indexes) {
    if (table == null) {
      return null;
    }
    return Shown.bytes(table) + (indexes == null ? "" : ", indexes " + Shown.bytes(indexes));
  }

  private void topics() {
    if (!snapshot.topics().isEmpty()) {
      screen.line("");
      new TopicTable(snapshot.topics().stream().limit(MAX_TOPICS).toList(), null)
          .lines(screen)
          .forEach(screen::line);
      int more = snapshot.topics().size() - MAX_TOPICS;
      if (more > 0) {
        screen.line("… and " + more + " more; --json has them all");
      }
    }
  }

  private void nodes(List<NodeRow> nodes) {
    if (!nodes.isEmpty()) {
      screen.line("");
      Table table = new Table().flexible("NODE", 12).number("LEASES").column("NEXT LEASE ENDS");
      nodes.forEach(
          node ->
              table.row(
                  Shown.line(node.owner()),
                  Shown.number(node.leases()),
                  Shown.time(node.nextExpiry())));
      table.print(screen);
    }
  }
}
