package outbox.jdbc.chaos;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import outbox.jdbc.db.TestDatabase;

/** Polls, handles and marks done as version 1 does: without a lease, one statement an event. */
final class OldDispatcher extends OldNode {
  private static final int LIMIT = 50;
  private static final long POLL_NANOS = 50_000_000;

  private final TestDatabase database;
  private final Set<String> handled = ConcurrentHashMap.newKeySet();

  OldDispatcher(TestDatabase database) {
    super("old-dispatcher", POLL_NANOS);
    this.database = database;
  }

  Set<String> handled() {
    return handled;
  }

  @Override
  void turn() throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      List<String> pending = new ArrayList<>();
      timed(() -> pending.addAll(poll(connection)));
      for (String eventId : pending) {
        handled.add(eventId);
        timed(() -> markDone(connection, eventId));
      }
    }
  }

  private List<String> poll(Connection connection) throws SQLException {
    List<String> pending = new ArrayList<>();
    try (PreparedStatement poll = connection.prepareStatement(OldVersion.POLL_PENDING)) {
      OldVersion.setInstant(poll, 1, Instant.now(), OldVersion.isPostgres(database));
      OldVersion.setInstant(poll, 2, Instant.now(), OldVersion.isPostgres(database));
      poll.setInt(3, LIMIT);
      try (ResultSet row = poll.executeQuery()) {
        while (row.next()) {
          pending.add(row.getString("event_id"));
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
