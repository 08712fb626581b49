package outbox.jdbc.samples;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import outbox.contracts.store.EventStoreContract;
import outbox.spi.LeasedEventStore;
import outbox.testing.SettableClock;
import outbox.testing.memory.InMemoryEventStore;

/** The beginning of a test of a store; the store is one in memory here. */
final class StoreContractSample {
  private StoreContractSample() {}

  // region store-contract
  abstract static class MyStoreTest extends EventStoreContract {
    private final SettableClock clock = new SettableClock();
    private final InMemoryEventStore store = new InMemoryEventStore(clock); // your store

    @Override
    public LeasedEventStore store() {
      return store;
    }

    @Override
    public LeasedEventStore deletingStore() {
      return store.deletingWhenDone();
    }

    @Override
    public Connection open() throws SQLException {
      return store.connections().getConnection();
    }

    @Override
    public void advance(Duration by) {
      clock.advance(by);
    }

    @Override
    public Instant now() {
      return clock.instant();
    }
  }
  // endregion
}
