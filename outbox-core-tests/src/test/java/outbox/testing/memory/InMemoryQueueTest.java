package outbox.testing.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import outbox.contracts.queue.OutboxContract;
import outbox.contracts.store.EventStoreContract;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.TransactionRunner;
import outbox.spi.TxContext;

class InMemoryQueueTest extends OutboxContract {
  private volatile ShiftedClock clock = new ShiftedClock();
  private InMemoryEventStore store = new InMemoryEventStore(clock);
  private InMemoryTransactions transactions = store.transactions();

  @Override
  public LeasedEventStore store() {
    return store;
  }

  @Override
  public ConnectionProvider connections() {
    return store.connections();
  }

  @Override
  public TxContext txContext() {
    return transactions;
  }

  @Override
  public TransactionRunner transactions() {
    return transactions;
  }

  @Override
  public void advance(Duration by) {
    clock.advance(by);
  }

  @Override
  public Instant now() {
    return clock.instant();
  }

  @Override
  public Optional<EventStoreContract.Row> row(String eventId) {
    return store.find(eventId).map(InMemoryStoreTest::view);
  }

  @Override
  public void insertByOldVersion(String eventId, String headersJson) {
    InMemoryOutbox.insertByOldVersion(store, eventId, headersJson);
  }

  @Override
  protected void reset() {
    clock = new ShiftedClock();
    store = new InMemoryEventStore(clock);
    transactions = store.transactions();
  }
}
