package outbox.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.List;
import outbox.EventEnvelope;

/** On MariaDB and MySQL. */
final class InnoDbPlainSql extends PlainSql {
  private static final String INSERT_LEASED =
      """
      INSERT INTO outbox_event (event_id, idempotency_key, event_type, payload_text, occurred_at,
        status, attempts, owner_token, available_at, created_at)
      VALUES (?, ?, ?, ?, ?, 0, 0, ?, UTC_TIMESTAMP(6) + INTERVAL 30 SECOND, UTC_TIMESTAMP(6))""";

  /** MySQL, unlike MariaDB, takes no index hint in a DELETE. */
  private static final String DELETE =
      "DELETE FROM outbox_event WHERE event_id IN (%s) AND owner_token = ? AND status NOT IN (1, 3)";

  private static final String COMPLETE =
      """
      UPDATE outbox_event FORCE INDEX (PRIMARY)
      SET status = 1, done_at = UTC_TIMESTAMP(6), processed_by = owner_token, owner_token = NULL
      WHERE event_id IN (%s) AND owner_token = ? AND status IN (0, 2)""";

  private static final String LOCK =
      """
      SELECT event_id, event_type, payload_text, headers, correlation_id, attempts
      FROM outbox_event FORCE INDEX (idx_claim)
      WHERE claimable_at <= UTC_TIMESTAMP(6)
      ORDER BY claimable_at, event_id
      LIMIT ?
      FOR UPDATE SKIP LOCKED""";

  private static final String TAKE =
      """
      UPDATE outbox_event FORCE INDEX (PRIMARY)
      SET owner_token = ?, available_at = UTC_TIMESTAMP(6) + INTERVAL 30 SECOND
      WHERE event_id IN (%s)""";

  @Override
  void insertLeased(Connection connection, EventEnvelope event, String owner) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(INSERT_LEASED)) {
      insert.setString(1, event.eventId());
      insert.setString(2, event.eventId());
      insert.setString(3, event.eventType());
      insert.setString(4, event.payloadJson());
      insert.setObject(5, LocalDateTime.ofInstant(event.occurredAt(), ZoneOffset.UTC));
      insert.setString(6, owner);
      insert.executeUpdate();
    }
  }

  /** At the default, REPEATABLE READ, claims lock gaps and wait for each other. */
  @Override
  void setUp(Connection connection) throws SQLException {
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
  }

  @Override
  List<Message> claim(Connection connection, String owner, int limit) throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement lock = connection.prepareStatement(LOCK)) {
      lock.setInt(1, limit);
      List<Message> messages = read(lock);
      if (!messages.isEmpty()) {
        take(connection, messages.stream().map(Message::id).toList(), owner);
      }
      connection.commit();
      return messages;
    } finally {
      connection.setAutoCommit(true);
    }
  }

  private static void take(Connection connection, List<String> ids, String owner)
      throws SQLException {
    try (PreparedStatement take = connection.prepareStatement(withIds(TAKE, ids))) {
      take.setString(1, owner);
      bind(take, ids, 2);
      take.executeUpdate();
    }
  }

  @Override
  int complete(Connection connection, List<String> ids, String owner, Completion completion)
      throws SQLException {
    String sql = completion == Completion.DELETED ? DELETE : COMPLETE;
    try (PreparedStatement update = connection.prepareStatement(withIds(sql, ids))) {
      bind(update, ids, 1);
      update.setString(ids.size() + 1, owner);
      return update.executeUpdate();
    }
  }

  private static String withIds(String sql, List<String> ids) {
    return sql.replace("%s", String.join(", ", Collections.nCopies(ids.size(), "?")));
  }

  private static void bind(PreparedStatement statement, List<String> ids, int first)
      throws SQLException {
    for (int i = 0; i < ids.size(); i++) {
      statement.setString(first + i, ids.get(i));
    }
  }
}
