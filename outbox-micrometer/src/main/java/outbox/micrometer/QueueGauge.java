package outbox.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import outbox.admin.metrics.Count;
import outbox.admin.metrics.MetricsSnapshot;
import outbox.admin.metrics.MetricsSnapshot.Group;

/** The gauges of one queue. One thread looks, any thread reads. */
final class QueueGauge implements AutoCloseable {
  static final String OTHER = "(other)";
  static final String QUEUE = "queue";

  private static final Logger LOG = System.getLogger(QueueGauges.class.getName());

  private final MeterRegistry registry;
  private final Tags tags;
  private final int maxTopics;
  private final Duration fresh;
  private final Runnable onRead;
  private final Supplier<@Nullable MetricsSnapshot> source;
  private final List<Meter> meters = new ArrayList<>();
  private final List<TopicGauge> topics;
  private boolean registered;
  private boolean failed;
  private volatile @Nullable Look last;
  private volatile boolean up;

  QueueGauge(
      MeterRegistry registry,
      Tags tags,
      int maxTopics,
      Duration fresh,
      Runnable onRead,
      Supplier<@Nullable MetricsSnapshot> source) {
    this.registry = registry;
    this.tags = tags;
    this.maxTopics = maxTopics;
    this.fresh = fresh;
    this.onRead = onRead;
    this.source = source;
    this.topics =
        List.of(
            topic("outbox.topic.backlog", "Due messages of a topic", Group::backlog),
            topic(
                "outbox.topic.scheduled",
                "Messages of a topic that are due later",
                Group::scheduled),
            topic("outbox.topic.dead", "Dead letters of a topic", Group::dead));
  }

  /** Takes a snapshot. A table that does not exist has no gauges. */
  void look() {
    try {
      MetricsSnapshot snapshot = source.get();
      if (snapshot == null) {
        return;
      }
      last = new Look(snapshot, System.nanoTime());
      up = true;
      register();
      topics.forEach(each -> each.show(snapshot.topics()));
      if (failed) {
        LOG.log(Level.INFO, "gauges have figures again " + tags);
      }
      failed = false;
    } catch (RuntimeException e) {
      up = false;
      register();
      if (!failed) {
        LOG.log(Level.WARNING, "gauges have no figures, trying again each interval " + tags, e);
      }
      failed = true;
    }
  }

  private void register() {
    if (registered) {
      return;
    }
    registered = true;
    count("outbox.backlog", "Messages that are due", MetricsSnapshot::backlog);
    count("outbox.scheduled", "Messages that are due later", MetricsSnapshot::scheduled);
    count("outbox.dead", "Dead letters", MetricsSnapshot::dead);
    count("outbox.leased", "Messages that a handler works on", MetricsSnapshot::leased);
    count(
        "outbox.failed.pending",
        "Pending messages that failed at least once",
        MetricsSnapshot::failedPending);
    meters.add(
        TimeGauge.builder(
                "outbox.oldest.age",
                () -> value(it -> it.oldestAge().toMillis()),
                TimeUnit.MILLISECONDS)
            .description("How long the oldest due message has been waiting")
            .tags(tags)
            .register(registry));
    meters.add(
        Gauge.builder("outbox.up", () -> up ? 1 : 0)
            .description("Whether the database answered the last look")
            .tags(tags)
            .register(registry));
  }

  private void count(String name, String description, Function<MetricsSnapshot, Count> figure) {
    meters.add(
        Gauge.builder(name, () -> value(it -> figure.apply(it).value()))
            .description(description)
            .tags(tags)
            .register(registry));
  }

  private double value(ToDoubleFunction<MetricsSnapshot> figure) {
    onRead.run();
    Look look = last;
    if (look == null || System.nanoTime() - look.at >= fresh.toNanos()) {
      return Double.NaN;
    }
    return figure.applyAsDouble(look.snapshot);
  }

  boolean isOf(String queue) {
    return tags.stream()
        .anyMatch(tag -> tag.getKey().equals(QUEUE) && tag.getValue().equals(queue));
  }

  OptionalLong backlog() {
    double due = value(it -> it.backlog().value());
    return Double.isNaN(due) ? OptionalLong.empty() : OptionalLong.of((long) due);
  }

  private TopicGauge topic(String name, String description, Function<Group, Count> figure) {
    MultiGauge gauge =
        MultiGauge.builder(name).description(description).tags(tags).register(registry);
    return new TopicGauge(gauge, figure);
  }

  @Override
  public void close() {
    meters.forEach(registry::remove);
    topics.forEach(each -> each.gauge.register(List.of(), true));
  }

  /** What was seen, and when. */
  private record Look(MetricsSnapshot snapshot, long at) {}

  /** One figure by topic. */
  private final class TopicGauge {
    private final MultiGauge gauge;
    private final Function<Group, Count> figure;

    TopicGauge(MultiGauge gauge, Function<Group, Count> figure) {
      this.gauge = gauge;
      this.figure = figure;
    }

    void show(List<Group> groups) {
      List<MultiGauge.Row<?>> rows = new ArrayList<>();
      int shown = Math.min(maxTopics, groups.size());
      groups
          .subList(0, shown)
          .forEach(each -> rows.add(row(each.name(), figure.apply(each).value())));
      if (shown < groups.size()) {
        long rest =
            groups.subList(shown, groups.size()).stream()
                .mapToLong(each -> figure.apply(each).value())
                .sum();
        rows.add(row(OTHER, rest));
      }
      gauge.register(rows, true);
    }

    private MultiGauge.Row<?> row(String topic, long value) {
      return MultiGauge.Row.of(Tags.of("topic", topic), value);
    }
  }
}
