package outbox.chaos.scenario;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import outbox.jdbc.db.TestDatabase;

/** Polls, handles and marks done as version 1 does: without a lease, one statement an event. */
final class OldDispatcher extends OldNode {
  private static final int LIMIT = 50;
  private static final long POLL_NANOS = 50_000_000;

  private final TestDatabase database;
  private final Map<String, String> handled = new ConcurrentHashMap<>();

  OldDispatcher(TestDatabase database) {
    super("old-dispatcher", POLL_NANOS);
    this.database = database;
  }

  Set<String> handled() {
    return handled.keySet();
  }

  /** What it handed to its listener. */
  String payload(String eventId) {
    return requireNonNull(handled.get(eventId), eventId);
  }

  @Override
  void turn() throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      Map<String, String> pending = new LinkedHashMap<>();
      timed(() -> pending.putAll(poll(connection)));
      for (Map.Entry<String, String> event : pending.entrySet()) {
        handled.put(event.getKey(), event.getValue());
        timed(() -> markDone(connection, event.getKey()));
      }
    }
  }

  /** An event of version 1 always has a payload. */
  private Map<String, String> poll(Connection connection) throws SQLException {
    Map<String, String> pending = new LinkedHashMap<>();
    try (PreparedStatement poll = connection.prepareStatement(OldVersion.POLL_PENDING)) {
      OldVersion.setInstant(poll, 1, Instant.now(), OldVersion.isPostgres(database));
      OldVersion.setInstant(poll, 2, Instant.now(), OldVersion.isPostgres(database));
      poll.setInt(3, LIMIT);
      try (ResultSet row = poll.executeQuery()) {
        while (row.next()) {
          String eventId = row.getString("event_id");
          pending.put(eventId, requireNonNull(row.getString("payload"), eventId));
        }
      }
    }
    return pending;
  }

  private void markDone(Connection connection, String eventId) throws SQLException {
    try (PreparedStatement done = connection.prepareStatement(OldVersion.MARK_DONE)) {
      OldVersion.setInstant(done, 1, Instant.now(), OldVersion.isPostgres(database));
      done.setString(2, eventId);
      done.executeUpdate();
    }
  }
}
