package outbox.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import outbox.admin.metrics.Health;
import outbox.admin.metrics.MetricsSnapshot;
import outbox.admin.metrics.MetricsSnapshot.Group;
import outbox.metrics.Activity;

/** One picture of a queue, as large as the terminal at the most. */
record TopFrame(Screen screen, int rows, String title, Duration interval) {
  private static final int LINE = 46;

  List<String> of(MetricsSnapshot snapshot, Health health, Trend trend, TopOrder order) {
    List<String> lines = new ArrayList<>();
    lines.add(screen.paint(cut(title), Ink.STRONG));
    lines.add(cut(Shown.time(snapshot.at()) + ", every " + Shown.age(interval)));
    lines.add("");
    lines.addAll(verdict(health));
    lines.addAll(figures(snapshot, trend));
    lines.add("");
    List<String> topics = topics(snapshot, trend, order);
    int room = Math.max(2, rows - lines.size() - 2);
    if (topics.size() > room) {
      int hidden = topics.size() - room + 1;
      topics = new ArrayList<>(topics.subList(0, room - 1));
      topics.add("… and " + hidden + " more");
    }
    lines.addAll(topics);
    lines.add("");
    lines.add(screen.paint(cut("q quits, s sorts topics by " + order.next()), Ink.FAINT));
    return lines;
  }

  /** Nothing could be seen this time. */
  List<String> of(String failure) {
    List<String> lines = new ArrayList<>();
    lines.add(screen.paint(cut(title), Ink.STRONG));
    lines.add("");
    Fields.wrapped(failure, screen.columns())
        .forEach(line -> lines.add(screen.paint(line, Ink.BAD)));
    lines.add("");
    lines.add(cut("looks again every " + Shown.age(interval) + "; q quits"));
    return lines;
  }

  private List<String> verdict(Health health) {
    Ink ink =
        switch (health.status()) {
          case OK -> Ink.GOOD;
          case DEGRADED -> Ink.WARNING;
          case UNHEALTHY -> Ink.BAD;
        };
    List<String> lines = new ArrayList<>();
    lines.add("health     " + screen.paint(health.status().name(), ink));
    health.reasons().forEach(reason -> lines.add(cut("           " + Shown.line(reason))));
    return lines;
  }

  private List<String> figures(MetricsSnapshot snapshot, Trend trend) {
    Activity activity = snapshot.activity();
    String backlog = Shown.count(snapshot.backlog()) + "  " + TopicTable.change(trend.backlog());
    String done = Shown.rate(activity.throughputPerSecond());
    return List.of(
        figure("backlog", backlog, trend.line(look -> look.backlog().value())),
        figure("done", done, trend.line(look -> look.activity().throughputPerSecond())),
        cut(
            "failed     "
                + Shown.rate(activity.failuresPerSecond())
                + " ("
                + Shown.percent(activity.failureRatio())
                + " of deliveries)"),
        cut(
            "now        "
                + Shown.count(snapshot.leased())
                + " being worked on, "
                + Shown.count(snapshot.scheduled())
                + " scheduled, "
                + Shown.count(snapshot.failedPending())
                + " failing, "
                + Shown.count(snapshot.dead())
                + " dead"),
        cut(
            "oldest     "
                + (snapshot.oldestAge().isZero() ? "-" : Shown.age(snapshot.oldestAge()))));
  }

  private String figure(String name, String value, String bars) {
    String head = Columns.padded(name, 11, false) + Columns.padded(value, 22, false);
    int room = Math.min(LINE, screen.columns() - Columns.of(head));
    int from = Math.max(0, bars.length() - Math.max(0, room));
    return cut(head + bars.substring(from));
  }

  private List<String> topics(MetricsSnapshot snapshot, Trend trend, TopOrder order) {
    List<Group> sorted = order.sorted(snapshot.topics());
    return sorted.isEmpty()
        ? List.of("no topic has anything pending or dead")
        : new TopicTable(sorted, trend.topics()).lines(screen);
  }

  private String cut(String line) {
    return Columns.cut(line, screen.columns());
  }
}
