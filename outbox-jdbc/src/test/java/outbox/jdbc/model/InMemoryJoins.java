package outbox.jdbc.model;

import java.time.Instant;
import java.util.Map;
import outbox.contracts.store.EventStoreContract.Row;
import outbox.spi.ConnectionProvider;
import outbox.spi.JoinStore;
import outbox.spi.LeasedEventStore;
import outbox.spi.TerminalHook;
import outbox.testing.SettableClock;
import outbox.testing.memory.InMemoryEventStore;
import outbox.testing.memory.InMemoryJoinStore;

/** Joins in memory. */
final class InMemoryJoins extends StoredJoins {
  private final SettableClock clock = new SettableClock(START);
  private InMemoryEventStore events = new InMemoryEventStore(clock);
  private InMemoryJoinStore joins = new InMemoryJoinStore(events);

  @Override
  ConnectionProvider connections() {
    return events.connections();
  }

  @Override
  JoinStore joinStoreAt(Instant now) {
    clock.set(now);
    return joins;
  }

  @Override
  LeasedEventStore eventsAt(Instant now, TerminalHook hook) {
    clock.set(now);
    return events.notifying(hook);
  }

  @Override
  Map<String, Row> messages() {
    return InMemoryQueue.rows(events);
  }

  @Override
  void clear() {
    events = new InMemoryEventStore(clock);
    joins = new InMemoryJoinStore(events);
  }

  @Override
  public void close() {}
}
