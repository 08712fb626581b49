package outbox.testing.memory;

import java.time.Duration;
import java.time.Instant;
import outbox.contracts.inbox.InboxContract;
import outbox.inbox.InboxStore;
import outbox.spi.ConnectionProvider;
import outbox.spi.TransactionRunner;

class InMemoryInboxTest extends InboxContract {
  private volatile ShiftedClock clock = new ShiftedClock();
  private InMemoryInboxStore store = new InMemoryInboxStore(clock);

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
    clock.advance(by);
  }

  @Override
  public void stopAt(Instant instant) {
    clock.stopAt(instant);
  }

  @Override
  public Instant now() {
    return clock.instant();
  }

  @Override
  protected void reset() {
    clock = new ShiftedClock();
    store = new InMemoryInboxStore(clock);
  }
}
