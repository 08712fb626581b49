package outbox.chaos.server;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import outbox.chaos.clock.MovableClock;
import outbox.jdbc.db.CommitSpotter;

/** A database server under test. One thread hurts it at a time. */
public interface TriedServer extends AutoCloseable {
  /** The database of the nodes that have one. */
  String MAIN = "chaos";

  /** The databases of those that have many. */
  List<String> TENANTS = List.of("tenant_0", "tenant_1", "tenant_2");

  String name();

  int port();

  /** The JDBC URL for the application by this port, which may be a proxy's. */
  String url(String database, int port);

  /** The JDBC URL for the operator, past every proxy. */
  String operatorUrl(String database);

  default Connection connect(String database) throws SQLException {
    return DriverManager.getConnection(operatorUrl(database));
  }

  void createDatabase(String name) throws SQLException;

  /** Ends the server; returns when it is gone. */
  void stop(Stop how) throws InterruptedException;

  /** Starts the server if it does not run; returns when it takes connections. */
  void start() throws InterruptedException;

  /** Ends every session of the application. */
  void killSessions() throws SQLException;

  long sessions() throws SQLException;

  /** From now on the application can change nothing, or again everything. */
  void readOnly(boolean readOnly) throws SQLException;

  /** Locks the table of events, as a careless operator does, until the connection ends. */
  void lockTable(Connection connection) throws SQLException;

  /** Begins a transaction that sees the past until the connection ends. */
  void takeSnapshot(Connection connection) throws SQLException;

  /** Whether {@link #failOver} is possible. */
  boolean canFailOver();

  /**
   * Lets a synchronous standby run beside the server for a while, kills the server and promotes the
   * standby, which has another port.
   */
  void failOver(Duration beside) throws Exception;

  CommitSpotter spotter();

  /** The time of day as the server sees it, in milliseconds. */
  long timeOfDay() throws SQLException;

  MovableClock clock();

  /** The folder of the data, which may be limited in size. */
  DataFolder data();

  @Override
  default void close() {
    try {
      stop(Stop.KILL);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    data().close();
  }

  /** How a server ends. */
  enum Stop {
    /** Cleanly, without waiting for its clients. */
    FAST,
    /** As in a crash, by its own command where it has one. */
    IMMEDIATE,
    /** By kill -9 of all its processes. */
    KILL
  }

  /** How long a server may take to start. */
  Duration PATIENCE = Duration.ofMinutes(2);

  /** Runs a statement of the operator. */
  default void execute(String database, String sql) throws SQLException {
    try (Connection connection = connect(database);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The first column of the first row, as a number. */
  default long count(String database, String sql) throws SQLException {
    try (Connection connection = connect(database);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }
}
