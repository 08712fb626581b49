package outbox.testing.memory;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import outbox.contracts.join.JoinContract;
import outbox.contracts.store.EventStoreContract;
import outbox.spi.JoinStore;
import outbox.spi.LeasedEventStore;
import outbox.spi.TerminalHook;
import outbox.testing.SettableClock;

class InMemoryJoinTest extends JoinContract {
  private SettableClock clock = new SettableClock();
  private InMemoryEventStore events = new InMemoryEventStore(clock);
  private InMemoryJoinStore joins = new InMemoryJoinStore(events);

  @Override
  protected JoinStore newJoinStore() {
    return joins;
  }

  @Override
  protected LeasedEventStore newEvents(TerminalHook hook) {
    return events.notifying(hook);
  }

  @Override
  public Connection open() throws SQLException {
    return events.connections().getConnection();
  }

  @Override
  protected void moveClock(Duration by) {
    clock.advance(by);
  }

  @Override
  protected void stopClock(Instant instant) {
    clock.set(instant);
  }

  @Override
  public Instant now() {
    return clock.instant();
  }

  @Override
  public Optional<EventStoreContract.Row> row(String eventId) {
    return events.find(eventId).map(InMemoryStoreTest::view);
  }

  @Override
  public void delete(String eventId) {
    try (Connection connection = open()) {
      Session session = events.session(connection);
      session.execute(
          () -> {
            session.write(events.rows().slot(eventId, session), null);
            return eventId;
          });
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  protected void reset() {
    clock = new SettableClock();
    events = new InMemoryEventStore(clock);
    joins = new InMemoryJoinStore(events);
  }
}
