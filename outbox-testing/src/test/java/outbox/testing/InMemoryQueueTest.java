package outbox.testing;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.TransactionRunner;
import outbox.spi.TxContext;

class InMemoryQueueTest extends OutboxContract {
  private volatile Duration shift = Duration.ZERO;
  private InMemoryEventStore store = new InMemoryEventStore(new ShiftedClock());
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
    shift = shift.plus(by);
  }

  @Override
  public Instant now() {
    return new ShiftedClock().instant();
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
    shift = Duration.ZERO;
    store = new InMemoryEventStore(new ShiftedClock());
    transactions = store.transactions();
  }

  /** Goes on by itself, as a database's clock does. */
  private final class ShiftedClock extends Clock {
    @Override
    public Instant instant() {
      return Instant.now().plus(shift).truncatedTo(ChronoUnit.MICROS);
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }
}
