package outbox.testing.memory;

import java.time.Duration;
import java.util.Optional;
import outbox.contracts.engine.EngineContract;
import outbox.contracts.store.EventStoreContract;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.TransactionRunner;
import outbox.spi.TxContext;

class InMemoryEngineTest extends EngineContract {
  private final ShiftedClock clock = new ShiftedClock();
  private final InMemoryEventStore store = new InMemoryEventStore(clock);
  private final InMemoryTransactions transactions = store.transactions();

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
  public Optional<EventStoreContract.Row> row(String eventId) {
    return store.find(eventId).map(InMemoryStoreTest::view);
  }

  @Override
  public void advance(Duration by) {
    clock.advance(by);
  }

  @Override
  public void insertByOldVersion(String eventId, String headersJson) {
    InMemoryOutbox.insertByOldVersion(store, eventId, headersJson);
  }
}
