package outbox.testing.memory;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import outbox.contracts.engine.OutboxUnderTest;
import outbox.contracts.store.EventStoreContract;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.ConnectionProvider;
import outbox.spi.TransactionRunner;
import outbox.spi.TxContext;

/** Engine tests for which no database matters. */
@Timeout(180)
public abstract class InMemoryOutbox implements OutboxUnderTest {
  private final ShiftedClock clock = new ShiftedClock();
  private final InMemoryEventStore store = new InMemoryEventStore(clock);
  private final InMemoryTransactions transactions = store.transactions();
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  @Override
  public InMemoryEventStore store() {
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
    insertByOldVersion(store, eventId, headersJson);
  }

  public static void insertByOldVersion(
      InMemoryEventStore store, String eventId, String headersJson) {
    OutboxEvent event = InMemoryStoreTest.oldVersion(eventId, headersJson, Instant.now());
    StoredEvent row =
        new StoredEvent(
            event,
            EventStatus.NEW,
            event.createdAt(),
            null,
            0,
            0,
            null,
            null,
            null,
            null,
            StoredEvent.Replays.NONE);
    try (var connection = store.connections().getConnection()) {
      store.insertRow(connection, row);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public <T extends AutoCloseable> T closing(T closeable) {
    open.push(closeable);
    return closeable;
  }

  @AfterEach
  void closeAll() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }
}
