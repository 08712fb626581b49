package outbox.demo;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.demo.OrderStory.End;

/**
 * The demo's own books, kept apart from the database: what was placed and what was delivered, by
 * event id. Thread-safe. A delivery may be entered before its order, as it may well come first.
 */
final class Ledger {
  private final ConcurrentMap<String, Entry> entries = new ConcurrentHashMap<>();
  private final LongAdder committed = new LongAdder();
  private final LongAdder delivered = new LongAdder();
  private final LongAdder failed = new LongAdder();

  /**
   * Enters an order whose transaction committed.
   *
   * @param hot whether its event went straight to the dispatcher's memory
   */
  void committed(String eventId, String orderId, boolean hot) {
    Entry entry = entry(eventId);
    entry.hot = hot;
    entry.end(orderId, End.COMMITTED);
    committed.increment();
  }

  /** Enters an order that another node committed before it crashed. */
  void committedElsewhere(String eventId, String orderId) {
    entry(eventId).elsewhere = true;
    committed(eventId, orderId, false);
  }

  /** Enters an order whose transaction was open when its node crashed. */
  void lostElsewhere(String eventId, String orderId) {
    entry(eventId).elsewhere = true;
    rolledBack(eventId, orderId);
  }

  void rolledBack(String eventId, String orderId) {
    entry(eventId).end(orderId, End.ROLLED_BACK);
  }

  /** Enters a call of a listener; returns how many there were for this event. */
  int called(String eventId) {
    return entry(eventId).calls.incrementAndGet();
  }

  void failed(String eventId) {
    entry(eventId).failures.incrementAndGet();
    failed.increment();
  }

  void delivered(String eventId) {
    entry(eventId).deliveries.incrementAndGet();
    delivered.increment();
  }

  /** Enters a delivery by a node that crashed before it could store the success. */
  void deliveredByCrashedNode(String eventId) {
    entry(eventId).lostSuccesses.incrementAndGet();
    delivered(eventId);
  }

  long committed() {
    return committed.sum();
  }

  long delivered() {
    return delivered.sum();
  }

  long failed() {
    return failed.sum();
  }

  /** What is known of each order, by event id. */
  Map<String, OrderStory> stories() {
    return entries.entrySet().stream()
        .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, e -> e.getValue().story()));
  }

  private Entry entry(String eventId) {
    return entries.computeIfAbsent(eventId, id -> new Entry());
  }

  private static final class Entry {
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicInteger deliveries = new AtomicInteger();
    private final AtomicInteger lostSuccesses = new AtomicInteger();
    private volatile boolean hot;
    private volatile boolean elsewhere;
    private volatile @Nullable String orderId;
    private volatile End end = End.UNKNOWN;

    void end(String orderId, End end) {
      this.orderId = orderId;
      this.end = end;
    }

    OrderStory story() {
      return new OrderStory(
          orderId == null ? "?" : orderId,
          end,
          hot,
          elsewhere,
          failures.get(),
          deliveries.get(),
          lostSuccesses.get());
    }
  }
}
