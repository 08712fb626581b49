package outbox.jdbc.model;

import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import outbox.contracts.store.EventStoreContract.Row;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.testing.SettableClock;
import outbox.testing.memory.InMemoryEventStore;
import outbox.testing.memory.StoredEvent;

/** The queue in memory. */
final class InMemoryQueue extends OutboxQueue {
  private final SettableClock clock = new SettableClock(START);
  private InMemoryEventStore store = new InMemoryEventStore(clock);

  @Override
  ConnectionProvider connections() {
    return store.connections();
  }

  @Override
  LeasedEventStore storeAt(Instant now, boolean deletesWhenDone) {
    clock.set(now);
    return deletesWhenDone ? store.deletingWhenDone() : store;
  }

  @Override
  public Map<String, Row> rows() {
    return rows(store);
  }

  static Map<String, Row> rows(InMemoryEventStore store) {
    Map<String, Row> rows = new TreeMap<>();
    store.findAll().forEach(stored -> rows.put(stored.event().eventId(), row(stored)));
    return rows;
  }

  static Row row(StoredEvent stored) {
    return new Row(
        stored.status(),
        stored.event().attempts(),
        stored.availableAt(),
        stored.event().createdAt(),
        stored.doneAt(),
        stored.owner(),
        stored.leaseExpiries(),
        stored.processedBy(),
        stored.lastError(),
        stored.event().idempotencyKey(),
        stored.listeners());
  }

  @Override
  void clear() {
    store = new InMemoryEventStore(clock);
  }

  @Override
  public void close() {}
}
