package outbox.testing;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import outbox.inbox.InboxStore;
import outbox.spi.ConnectionProvider;
import outbox.spi.TransactionRunner;

class InMemoryInboxTest extends InboxContract {
  private volatile Duration shift = Duration.ZERO;
  private InMemoryInboxStore store = new InMemoryInboxStore(new ShiftedClock());

  @Override
  public InboxStore store() {
    return store;
  }

  @Override
  public ConnectionProvider connections() {
    return store.connections();
  }

  @Override
  public TransactionRunner transactions() {
    return store.transactions();
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
  protected void reset() {
    shift = Duration.ZERO;
    store = new InMemoryInboxStore(new ShiftedClock());
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
