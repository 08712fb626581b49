package outbox.admin.metrics;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots in Prometheus' text format, one series per database, and one per topic of the topics
 * with most trouble; the others are summed up as {@code topic="(other)"}, so that the number of
 * series stays bounded.
 */
public final class PrometheusText {
  /** What is sent as the content type. */
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  /** Topics with series of their own, at most: {@value}. */
  public static final int MAX_TOPICS = 50;

  private static final String OTHER = "(other)";

  private final StringBuilder out = new StringBuilder(4096);
  private final Map<String, MetricsSnapshot> databases = new LinkedHashMap<>();

  private PrometheusText() {}

  /** The exposition of the databases' snapshots, by name; null is of one that does not answer. */
  public static String of(Map<String, ? extends @Nullable MetricsSnapshot> databases) {
    PrometheusText text = new PrometheusText();
    text.head("outbox_up", "1 if the database answers.");
    databases.forEach(
        (database, snapshot) -> {
          text.line("outbox_up", "database=" + quoted(database), snapshot == null ? 0 : 1);
          if (snapshot != null) {
            text.databases.put(database, snapshot);
          }
        });
    return text.write();
  }

  private String write() {
    gauge("outbox_backlog", "Pending messages that are due.", s -> s.backlog().value());
    gauge(
        "outbox_failed_pending",
        "Pending messages that failed before.",
        s -> s.failedPending().value());
    gauge("outbox_old_failures", "Pending messages that fail often.", s -> s.oldFailures().value());
    gauge("outbox_leased", "Messages that a handler works on.", s -> s.leased().value());
    gauge("outbox_scheduled", "Pending messages that are not due yet.", s -> s.scheduled().value());
    gauge("outbox_dead", "Dead letters.", s -> s.dead().value());
    gauge(
        "outbox_oldest_age_seconds",
        "How long the oldest pending message waits.",
        s -> s.oldestAge().toMillis() / 1e3);
    gauge(
        "outbox_throughput_per_second",
        "Successful deliveries within the window.",
        s -> s.activity().throughputPerSecond());
    gauge(
        "outbox_failure_ratio",
        "Share of deliveries that failed within the window.",
        s -> s.activity().failureRatio());
    gauge(
        "outbox_counts_bounded",
        "1 if pending messages or dead letters were counted up to a limit only.",
        s -> s.backlog().atLeast() || s.scheduled().atLeast() || s.dead().atLeast() ? 1 : 0);
    topics("outbox_topic_backlog", "Pending messages that are due.", g -> g.backlog().value());
    topics(
        "outbox_topic_scheduled",
        "Pending messages that are not due yet.",
        g -> g.scheduled().value());
    topics("outbox_topic_dead", "Dead letters.", g -> g.dead().value());
    return out.toString();
  }

  private void gauge(String name, String help, ToDoubleFunction<MetricsSnapshot> value) {
    head(name, help);
    databases.forEach(
        (database, snapshot) ->
            line(name, "database=" + quoted(database), value.applyAsDouble(snapshot)));
  }

  private void topics(String name, String help, ToDoubleFunction<MetricsSnapshot.Group> value) {
    head(name, help);
    databases.forEach(
        (database, snapshot) -> {
          String label = "database=" + quoted(database) + ",topic=";
          List<MetricsSnapshot.Group> all = snapshot.topics();
          int shown = Math.min(all.size(), MAX_TOPICS);
          all.subList(0, shown)
              .forEach(
                  group -> line(name, label + quoted(group.name()), value.applyAsDouble(group)));
          if (shown < all.size()) {
            double rest = all.subList(shown, all.size()).stream().mapToDouble(value).sum();
            line(name, label + quoted(OTHER), rest);
          }
        });
  }

  private void head(String name, String help) {
    out.append("# HELP ").append(name).append(' ').append(help).append('\n');
    out.append("# TYPE ").append(name).append(" gauge\n");
  }

  private void line(String name, String labels, double value) {
    out.append(name).append('{').append(labels).append("} ");
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      out.append((long) value);
    } else {
      out.append(value);
    }
    out.append('\n');
  }

  private static String quoted(String label) {
    return '"' + label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }
}
