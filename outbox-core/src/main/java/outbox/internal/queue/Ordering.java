package outbox.internal.queue;

import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.spi.EventStore;
import outbox.spi.LeasedEventStore;
import outbox.spi.OrderedEvents;

/** The part of a store that keeps events in order, if it has one. */
final class Ordering {
  private Ordering() {}

  /**
   * What keeps the order in this store.
   *
   * @throws UnsupportedOperationException if nothing does
   */
  static OrderedEvents of(EventStore store) {
    OrderedEvents ordered = store instanceof LeasedEventStore leased ? leased.ordered() : null;
    if (ordered == null) {
      throw new UnsupportedOperationException(
          "orderingKey needs a store that keeps events in order, such as JdbcOutboxRepository; "
              + store.getClass().getName()
              + " does not, publish the event without it");
    }
    return ordered;
  }

  /** The ordering keys of these events, each once. */
  static List<String> keys(List<EventEnvelope> events) {
    return events.stream()
        .map(EventEnvelope::orderingKey)
        .filter(Ordering::isGiven)
        .distinct()
        .toList();
  }

  private static boolean isGiven(@Nullable String key) {
    return key != null;
  }
}
