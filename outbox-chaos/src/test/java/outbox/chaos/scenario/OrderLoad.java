package outbox.chaos.scenario;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.PermanentFailureException;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.db.TestDatabase;

/**
 * Publishes changes of accounts in order, and checks the order of their delivery in the database.
 * Each transaction locks the row of its account and gives the change the next version. A listener
 * asks before it begins how far the account was handled, and notes a violation if the change before
 * is not; after it has succeeded it notes how far the account is.
 */
final class OrderLoad {
  static final String CHANGED = "AccountChanged";

  /** A quarter of all changes is of this account. */
  private static final int HOT_ACCOUNT = 0;

  private static final int FAILS = 50;
  private static final int DIES = 2_000;

  private final DataSource dataSource;
  private final int accounts;
  private final Random random = new Random();

  OrderLoad(DataSource dataSource, int accounts) {
    this.dataSource = dataSource;
    this.accounts = accounts;
  }

  /** Creates the tables of the accounts. */
  static void create(TestDatabase database, int accounts) {
    database.execute(
        "CREATE TABLE account (id INT PRIMARY KEY, version INT NOT NULL)",
        "CREATE TABLE progress (id INT PRIMARY KEY, version INT NOT NULL)",
        "CREATE TABLE violation (id INT NOT NULL, version INT NOT NULL, handled INT NOT NULL)");
    try (Connection connection = database.dataSource().getConnection()) {
      for (String table : List.of("account", "progress")) {
        try (PreparedStatement insert =
            connection.prepareStatement("INSERT INTO " + table + " VALUES (?, 0)")) {
          for (int id = 0; id < accounts; id++) {
            insert.setInt(1, id);
            insert.addBatch();
          }
          insert.executeBatch();
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Publishes so many changes from so many threads; returns when all are committed. */
  void publish(JdbcOutbox outbox, int publishers, int changes) throws InterruptedException {
    AtomicInteger left = new AtomicInteger(changes);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < publishers; i++) {
      Thread thread =
          new Thread(
              () -> {
                while (left.getAndDecrement() > 0) {
                  publishOne(outbox);
                }
              },
              "publisher-" + i);
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void publishOne(JdbcOutbox outbox) {
    int account = random.nextInt(4) == 0 ? HOT_ACCOUNT : random.nextInt(accounts);
    try {
      outbox.inTransaction(
          connection -> {
            update(connection, "UPDATE account SET version = version + 1 WHERE id = ?", account);
            int version = version(connection, "account", account);
            outbox.publish(
                EventEnvelope.builder(CHANGED)
                    .orderingKey("account-" + account)
                    .payloadJson(account + ":" + version)
                    .build());
          });
    } catch (Exception e) {
      // A transaction that failed has published nothing.
    }
  }

  /** Handles a change; fails now and then, and a few times for good. */
  void handle(EventEnvelope event) throws Exception {
    String[] change = String.valueOf(event.payloadJson()).split(":", 2);
    int account = Integer.parseInt(change[0]);
    int version = Integer.parseInt(change[1]);
    try (Connection connection = dataSource.getConnection()) {
      int handled = version(connection, "progress", account);
      if (handled < version - 1) {
        update(
            connection,
            "INSERT INTO violation (id, version, handled) VALUES (?, "
                + version
                + ", "
                + handled
                + ")",
            account);
      }
      int dice = random.nextInt(DIES);
      if (dice > 0 && dice <= DIES / FAILS) {
        throw new IllegalStateException("fails now and then");
      }
      update(
          connection,
          "UPDATE progress SET version = "
              + version
              + " WHERE version < "
              + version
              + " AND id = ?",
          account);
      if (dice == 0) {
        throw new PermanentFailureException("dies now and then");
      }
    }
  }

  private static void update(Connection connection, String sql, int account) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setInt(1, account);
      statement.executeUpdate();
    }
  }

  private static int version(Connection connection, String table, int account) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT version FROM " + table + " WHERE id = ?")) {
      select.setInt(1, account);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    }
  }
}
