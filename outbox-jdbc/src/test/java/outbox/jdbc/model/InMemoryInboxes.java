package outbox.jdbc.model;

import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import outbox.contracts.store.EventStoreContract.Row;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.inbox.InboxStore;
import outbox.spi.ConnectionProvider;
import outbox.testing.SettableClock;
import outbox.testing.memory.InMemoryEventStore;
import outbox.testing.memory.InMemoryInboxStore;
import outbox.testing.memory.StoredEvent;

/** The inbox in memory. */
final class InMemoryInboxes extends StoredInboxes {
  private final SettableClock clock = new SettableClock(Queue.START);
  private InMemoryInboxStore store = new InMemoryInboxStore(clock);

  @Override
  ConnectionProvider connections() {
    return store.connections();
  }

  @Override
  InboxStore storeAt(Instant now) {
    clock.set(now);
    return store;
  }

  @Override
  Map<String, Row> events() {
    Map<String, Row> rows = new TreeMap<>();
    ((InMemoryEventStore) store.events()).findAll().forEach(each -> rows.put(key(each), row(each)));
    return rows;
  }

  private static String key(StoredEvent stored) {
    return InboxMessage.of(stored.event(), InboxStatus.SEEN, null).messageId();
  }

  private static Row row(StoredEvent stored) {
    Row row = InMemoryQueue.row(stored);
    return new Row(
        row.status(),
        row.attempts(),
        row.availableAt(),
        row.createdAt(),
        row.doneAt(),
        row.owner(),
        row.leaseExpiries(),
        row.processedBy(),
        row.lastError(),
        key(stored),
        row.listeners());
  }

  @Override
  void clear() {
    store = new InMemoryInboxStore(clock);
  }

  @Override
  public void close() {}
}
