package outbox.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.spi.DeliveryRecord;
import outbox.spi.DeliveryRecord.Outcome;

/** The timers of each topic, for a bounded number of topics. Thread-safe. */
final class TopicTimers {
  static final String OTHER = "other";

  private final MeterRegistry registry;
  private final Tags tags;
  private final int maxTopics;
  private final Map<String, Timers> byTopic = new ConcurrentHashMap<>();
  private final AtomicInteger topics = new AtomicInteger();
  private final Timers rest;

  TopicTimers(MeterRegistry registry, Tags tags, int maxTopics) {
    this.registry = registry;
    this.tags = tags;
    this.maxTopics = maxTopics;
    this.rest = new Timers(OTHER);
  }

  void record(DeliveryRecord delivery) {
    Timers timers = timersOf(delivery.topic());
    if (delivery.attempt() == 1) {
      timers.latency.record(delivery.waited());
    }
    timers.handling(delivery.outcome()).record(delivery.handled());
  }

  private Timers timersOf(String topic) {
    Timers known = byTopic.get(topic);
    if (known != null) {
      return known;
    }
    if (topics.get() >= maxTopics) {
      return rest;
    }
    return byTopic.computeIfAbsent(topic, this::admit);
  }

  /** Two new topics may come at once where there is room for one. */
  private Timers admit(String topic) {
    return topics.incrementAndGet() > maxTopics ? rest : new Timers(topic);
  }

  private final class Timers {
    private final Timer latency;
    private final Map<Outcome, Timer> handling = new EnumMap<>(Outcome.class);

    Timers(String topic) {
      this.latency =
          Timer.builder("outbox.dispatch.latency")
              .description("From creation, or due time, to the start of the first delivery")
              .tags(tags.and("topic", topic))
              .register(registry);
      for (Outcome outcome : Outcome.values()) {
        handling.put(
            outcome,
            Timer.builder("outbox.handler.duration")
                .description("How long the listeners of an event ran")
                .tags(tags.and("topic", topic, "outcome", tag(outcome)))
                .register(registry));
      }
    }

    Timer handling(Outcome outcome) {
      return Objects.requireNonNull(handling.get(outcome));
    }
  }

  private static String tag(Outcome outcome) {
    return outcome.name().toLowerCase(Locale.ROOT);
  }
}
