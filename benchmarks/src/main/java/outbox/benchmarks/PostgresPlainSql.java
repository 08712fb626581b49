package outbox.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.ZoneOffset;
import java.util.List;
import outbox.EventEnvelope;

/** On PostgreSQL. */
final class PostgresPlainSql extends PlainSql {
  private static final String INSERT_LEASED =
      """
      INSERT INTO outbox_event (event_id, idempotency_key, event_type, payload_text, occurred_at,
        status, attempts, owner_token, available_at, created_at)
      VALUES (?, ?, ?, ?, ?, 0, 0, ?, statement_timestamp() + interval '30 seconds',
        statement_timestamp())""";

  private static final String COMPLETE =
      """
      UPDATE outbox_event
      SET status = 1, done_at = statement_timestamp(), processed_by = owner_token,
        owner_token = NULL
      WHERE event_id = ANY (?) AND owner_token = ? AND status IN (0, 2)""";

  private static final String DELETE =
      "DELETE FROM outbox_event WHERE event_id = ANY (?) AND owner_token = ? AND status NOT IN (1, 3)";

  private static final String CLAIM =
      """
      UPDATE outbox_event
      SET owner_token = ?, available_at = statement_timestamp() + interval '30 seconds'
      WHERE event_id = ANY (ARRAY(
        SELECT event_id FROM outbox_event
        WHERE status IN (0, 2) AND available_at <= statement_timestamp()
        ORDER BY available_at, event_id
        LIMIT ?
        FOR UPDATE SKIP LOCKED))
      RETURNING event_id, event_type, payload_text, headers, correlation_id, attempts""";

  @Override
  void insertLeased(Connection connection, EventEnvelope event, String owner) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(INSERT_LEASED)) {
      insert.setString(1, event.eventId());
      insert.setString(2, event.eventId());
      insert.setString(3, event.eventType());
      insert.setString(4, event.payloadJson());
      insert.setObject(5, event.occurredAt().atOffset(ZoneOffset.UTC));
      insert.setString(6, owner);
      insert.executeUpdate();
    }
  }

  @Override
  List<Message> claim(Connection connection, String owner, int limit) throws SQLException {
    try (PreparedStatement claim = connection.prepareStatement(CLAIM)) {
      claim.setString(1, owner);
      claim.setInt(2, limit);
      return read(claim);
    }
  }

  @Override
  int complete(Connection connection, List<String> ids, String owner, Completion completion)
      throws SQLException {
    String sql = completion == Completion.DELETED ? DELETE : COMPLETE;
    try (PreparedStatement update = connection.prepareStatement(sql)) {
      update.setArray(1, connection.createArrayOf("varchar", ids.toArray()));
      update.setString(2, owner);
      return update.executeUpdate();
    }
  }
}
