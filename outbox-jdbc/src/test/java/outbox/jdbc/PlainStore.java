package outbox.jdbc;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.OutboxEvent;
import outbox.spi.EventStore;

/** The five methods of a store, and no lease. */
record PlainStore(EventStore store) implements EventStore {

  @Override
  public void insertNew(Connection conn, EventEnvelope event) {
    store.insertNew(conn, event);
  }

  @Override
  public int markDone(Connection conn, String eventId) {
    return store.markDone(conn, eventId);
  }

  @Override
  public int markRetry(Connection conn, String eventId, Instant nextAt, @Nullable String error) {
    return store.markRetry(conn, eventId, nextAt, error);
  }

  @Override
  public int markDead(Connection conn, String eventId, @Nullable String error) {
    return store.markDead(conn, eventId, error);
  }

  @Override
  public List<OutboxEvent> pollPending(
      Connection conn, Instant now, Duration skipRecent, int limit) {
    return store.pollPending(conn, now, skipRecent, limit);
  }
}
