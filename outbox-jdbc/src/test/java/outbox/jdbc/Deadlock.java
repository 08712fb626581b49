package outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import outbox.jdbc.db.TestDatabase;

/**
 * A rival that makes another transaction the victim of a real deadlock. Begin it first: H2 chooses
 * the younger of the two, MariaDB the one that has written less.
 */
final class Deadlock implements AutoCloseable {
  private static final String TOUCH = "UPDATE deadlock SET n = n + 1 WHERE id ";
  private static final int FREE_ROW = 0;
  private static final int ROWS = 100;

  private final Connection rival;

  private Deadlock(Connection rival) {
    this.rival = rival;
  }

  /** Creates the rows that they fight for. */
  static void deploy(TestDatabase database) {
    database.execute("CREATE TABLE deadlock (id INT PRIMARY KEY, n INT)");
    for (int id = 0; id < ROWS; id++) {
      database.execute("INSERT INTO deadlock VALUES (" + id + ", 0)");
    }
  }

  static Deadlock begin(TestDatabase database) throws SQLException {
    Connection rival = database.dataSource().getConnection();
    rival.setAutoCommit(false);
    touch(rival, "> " + FREE_ROW);
    return new Deadlock(rival);
  }

  /** What waits for the rival, and so becomes the victim. */
  interface Victim {
    void run(String sql) throws SQLException;
  }

  /** Lets a statement of the connection fail as the victim, and swallows the failure. */
  void swallowedBy(Connection connection) throws SQLException {
    swallowedBy(connection, sql -> execute(connection, sql));
  }

  /** As above; the victim executes the statement in its own way. */
  void swallowedBy(Connection connection, Victim victim) throws SQLException {
    touch(connection, "= " + FREE_ROW);
    CompletableFuture<Void> blocked = CompletableFuture.runAsync(this::touchFreeRow);
    SQLException failure = null;
    try {
      victim.run(TOUCH + "= " + (FREE_ROW + 1));
    } catch (SQLException e) {
      failure = e;
    }
    blocked.join();
    rival.rollback();
    if (failure == null) {
      throw new IllegalStateException("the rival was the victim");
    }
  }

  @Override
  public void close() throws SQLException {
    rival.rollback();
    rival.close();
  }

  private void touchFreeRow() {
    try {
      touch(rival, "= " + FREE_ROW);
    } catch (SQLException e) {
      throw new IllegalStateException("the rival was the victim", e);
    }
  }

  private static void touch(Connection connection, String which) throws SQLException {
    execute(connection, TOUCH + which);
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate(sql);
    }
  }
}
