package outbox.chaos.scenario;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import outbox.EventEnvelope;
import outbox.jdbc.db.TestDatabase;

/** Publishes as version 1 does, so many events a second, each in a transaction of its own. */
final class OldPublisher extends OldNode {
  private final TestDatabase database;
  private final List<String> published = new CopyOnWriteArrayList<>();

  OldPublisher(TestDatabase database, int perSecond) {
    super("old-publisher", 1_000_000_000L / perSecond);
    this.database = database;
  }

  List<String> published() {
    return published;
  }

  @Override
  void turn() throws SQLException {
    String eventId = EventEnvelope.ofJson("Old", "{}").eventId();
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      timed(
          () -> {
            OldVersion.insert(connection, OldVersion.isPostgres(database), eventId, Instant.now());
            connection.commit();
          });
    }
    published.add(eventId);
  }
}
