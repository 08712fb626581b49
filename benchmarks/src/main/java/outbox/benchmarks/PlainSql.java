package outbox.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/** The statements that the floor and the hand-written hot path use, and nothing around them. */
abstract class PlainSql {
  private static final String INSERT_ORDER =
      "INSERT INTO orders (id, customer, body) VALUES (?, ?, ?)";

  static void insertOrder(Connection connection, EventEnvelope event) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(INSERT_ORDER)) {
      insert.setString(1, event.eventId());
      insert.setInt(2, 42);
      insert.setString(3, Payload.TEXT);
      insert.executeUpdate();
    }
  }

  /** Inserts an event that the caller holds for thirty seconds. */
  abstract void insertLeased(Connection connection, EventEnvelope event, String owner)
      throws SQLException;

  /** Sets a connection up that a worker keeps for claims and completions. */
  void setUp(Connection connection) throws SQLException {}

  /** Leases what is due, as a transaction of its own. */
  abstract List<Message> claim(Connection connection, String owner, int limit) throws SQLException;

  /** Returns how many of them the owner still held. */
  abstract int complete(
      Connection connection, List<String> ids, String owner, Completion completion)
      throws SQLException;

  static List<Message> read(PreparedStatement claim) throws SQLException {
    List<Message> messages = new ArrayList<>();
    try (ResultSet row = claim.executeQuery()) {
      while (row.next()) {
        messages.add(
            new Message(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getInt(6)));
      }
    }
    return messages;
  }

  /** What a handler needs of a claimed row. */
  record Message(
      String id,
      String topic,
      String payload,
      @Nullable String headers,
      @Nullable String correlationId,
      int attempts) {}
}
