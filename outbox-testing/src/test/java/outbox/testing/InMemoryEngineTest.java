package outbox.testing;

import java.time.Clock;
import java.util.Optional;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.TransactionRunner;
import outbox.spi.TxContext;

class InMemoryEngineTest extends EngineContract {
  private final InMemoryEventStore store = new InMemoryEventStore();
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
  public void insertByOldVersion(String eventId, String headersJson) {
    OutboxEvent event =
        InMemoryStoreTest.oldVersion(eventId, headersJson, Clock.systemUTC().instant());
    StoredEvent row =
        new StoredEvent(event, EventStatus.NEW, event.createdAt(), null, 0, 0, null, null, null);
    try (var connection = store.connections().getConnection()) {
      store.insertRow(connection, row);
    } catch (java.sql.SQLException e) {
      throw new AssertionError(e);
    }
  }
}
