package outbox.chaos.account;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import outbox.chaos.ledger.Entry;
import outbox.chaos.ledger.Ledger;
import outbox.chaos.server.TriedServer;

/** Everything that the databases and the ledger say about one round. */
final class Books {
  /** The status of a message that is given up. */
  static final int DEAD = 3;

  private static final int DONE = 1;

  /** The rows of the application by id: the topic and the detail. */
  final Map<String, Row> business = new HashMap<>();

  /** The messages that are not done, by id: the status. */
  final Map<String, Integer> unfinished = new HashMap<>();

  /** How many effects an id has. */
  final Map<String, Integer> effects = new HashMap<>();

  /** The messages of the inbox by id: the status. */
  final Map<String, Integer> inbox = new HashMap<>();

  final List<JoinRow> joins = new ArrayList<>();
  final List<Entry> entries;

  Books(List<Entry> entries) {
    this.entries = entries;
  }

  static Books open(TriedServer server, Ledger ledger) throws SQLException {
    Books books = new Books(ledger.read());
    for (String database : databases()) {
      try (Connection connection = server.connect(database)) {
        books.readEvents(connection);
      }
    }
    try (Connection connection = server.connect(TriedServer.MAIN)) {
      books.readMain(connection);
    }
    return books;
  }

  static List<String> databases() {
    List<String> all = new ArrayList<>(TriedServer.TENANTS);
    all.add(TriedServer.MAIN);
    return all;
  }

  private void readEvents(Connection connection) throws SQLException {
    each(
        connection,
        "SELECT id, topic, detail FROM business",
        row ->
            business.put(row.getString(1), new Row(row.getString(2).intern(), row.getString(3))));
    each(
        connection,
        "SELECT event_id, status FROM outbox_event WHERE status <> " + DONE,
        row -> unfinished.put(row.getString(1), row.getInt(2)));
    each(
        connection,
        "SELECT id FROM effect",
        row -> effects.merge(row.getString(1), 1, Integer::sum));
  }

  private void readMain(Connection connection) throws SQLException {
    each(
        connection,
        "SELECT event_id, status FROM queue_event WHERE status <> " + DONE,
        row -> unfinished.put(row.getString(1), row.getInt(2)));
    each(
        connection,
        "SELECT message_id, status FROM outbox_inbox",
        row -> inbox.put(row.getString(1), row.getInt(2)));
    each(
        connection,
        "SELECT grouping_key, expected_steps, completed_steps, failed_steps, status"
            + " FROM outbox_join",
        row ->
            joins.add(
                new JoinRow(
                    row.getString(1), row.getInt(2), row.getInt(3), row.getInt(4), row.getInt(5))));
  }

  private static void each(Connection connection, String sql, Reader reader) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        reader.read(rows);
      }
    }
  }

  /** A row of the application. */
  record Row(String topic, String detail) {}

  /** A join as the database counts it. */
  record JoinRow(String group, int expected, int completed, int failed, int status) {}

  @FunctionalInterface
  private interface Reader {
    void read(ResultSet row) throws SQLException;
  }
}
