package outbox.cli;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.OperatedDatabase;
import outbox.admin.data.Presence;

/** A database behind the dashboard, with a few connections that are given back when it is idle. */
final class ServedDatabase implements AutoCloseable {
  private static final int CONNECTIONS = 5;
  private static final Duration WAIT = Duration.ofSeconds(5);
  private static final Duration IDLE = Duration.ofMinutes(1);

  private final HikariDataSource connections;
  private final OperatedDatabase database;
  private final String shownUrl;

  ServedDatabase(String name, Login login, TableOptions tables) {
    DriverDataSource.requireDriver(login.url);
    this.shownUrl = DatabaseOptions.shown(login.url);
    this.connections = new HikariDataSource(pool(name, login));
    this.database =
        OperatedDatabase.builder(name, connections)
            .outboxTable(tables.outbox)
            .inboxTable(tables.inbox)
            .joinTable(tables.joins)
            .waitTopic(tables.waitTopic)
            .build();
  }

  /** A database that is down now may come back: the others can be looked at meanwhile. */
  private static HikariConfig pool(String name, Login login) {
    HikariConfig pool = new HikariConfig();
    pool.setPoolName(name);
    pool.setJdbcUrl(login.url);
    pool.setUsername(login.user);
    pool.setPassword(login.password);
    pool.setMaximumPoolSize(CONNECTIONS);
    pool.setMinimumIdle(0);
    pool.setIdleTimeout(IDLE.toMillis());
    pool.setConnectionTimeout(WAIT.toMillis());
    pool.setInitializationFailTimeout(-1);
    pool.setThreadFactory(ServedDatabase::thread);
    return pool;
  }

  /** Started by the thread that first needs a connection; owned by the pool. */
  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "outbox-connections");
    thread.setDaemon(true);
    thread.setContextClassLoader(ServedDatabase.class.getClassLoader());
    return thread;
  }

  OperatedDatabase database() {
    return database;
  }

  String shownUrl() {
    return shownUrl;
  }

  /** What it has, or why that cannot be told. */
  String state() {
    try {
      Presence presence = database.presence();
      String tables =
          (presence.outbox() ? " outbox" : "")
              + (presence.inbox() ? " inbox" : "")
              + (presence.joins() ? " joins" : "");
      return tables.isEmpty() ? "none of the tables is there" : tables.strip();
    } catch (RuntimeException e) {
      return Failures.describe(e);
    }
  }

  @Override
  public void close() {
    connections.close();
  }

  /** Where it is and who asks. */
  record Login(String url, @Nullable String user, @Nullable String password) {
    /** Never the password. */
    @Override
    public String toString() {
      return "Login[" + DatabaseOptions.shown(url) + "]";
    }
  }
}
