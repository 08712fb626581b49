package outbox.jdbc;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import outbox.internal.engine.health.StoppableConnections;
import outbox.internal.util.Deadline;
import outbox.jdbc.internal.dialect.PostgresDriver;
import outbox.spi.ConnectionProvider;

/** The thread behind {@link PostgresNodeSignal}: waits for notifications and sends its own. */
final class SignalLoop implements Runnable {
  private static final Logger LOG = System.getLogger(SignalLoop.class.getName());
  private static final int BUSY_WAIT_MILLIS = 5;
  private static final int IDLE_WAIT_MILLIS = 20;
  private static final long IDLE_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int PROBE_SECONDS = 5;
  private static final long FIRST_BACKOFF_MILLIS = 100;
  private static final long LAST_BACKOFF_MILLIS = 5_000;

  private final StoppableConnections connectionProvider;
  private final String channel;
  private final Runnable onSignal;
  private final Thread thread = new Thread(this, "outbox-signal");
  private final CountDownLatch stopped = new CountDownLatch(1);
  private volatile boolean pending;
  private boolean outage;
  private long backoffMillis = FIRST_BACKOFF_MILLIS;

  SignalLoop(ConnectionProvider connectionProvider, String channel, Runnable onSignal) {
    this.connectionProvider = new StoppableConnections(connectionProvider);
    this.channel = channel;
    this.onSignal = onSignal;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  void send() {
    pending = true;
  }

  /** Ends the loop, also if it waits for a connection. Does not block. */
  void stop() {
    stopped.countDown();
    connectionProvider.stop();
  }

  /** Waits for the thread, which may hang in a connection that is dead. */
  void awaitEnd(Deadline deadline) {
    deadline.join(thread);
  }

  @Override
  public void run() {
    while (!isStopped()) {
      try (Connection conn = connectionProvider.getConnection()) {
        listen(conn);
      } catch (SQLException | RuntimeException e) {
        lost(e);
      }
    }
  }

  private void listen(Connection conn) throws SQLException {
    boolean autoCommit = conn.getAutoCommit();
    conn.setAutoCommit(true);
    execute(conn, "LISTEN " + channel);
    recovered();
    signal();
    exchange(conn);
    execute(conn, "UNLISTEN " + channel);
    conn.setAutoCommit(autoCommit);
  }

  private void exchange(Connection conn) throws SQLException {
    long lastSent = System.nanoTime();
    long lastProbe = lastSent;
    while (!isStopped()) {
      long now = System.nanoTime();
      if (pending) {
        // Cleared before it is sent: a send() that comes in between leads to one more, never to
        // none.
        pending = false;
        try {
          notifyOthers(conn);
        } catch (SQLException e) {
          pending = true;
          throw e;
        }
        lastSent = now;
      }
      if (now - lastProbe > PROBE_NANOS) {
        if (!conn.isValid(PROBE_SECONDS)) {
          throw new SQLException("the connection does not answer any more");
        }
        lastProbe = now;
      }
      boolean idle = now - lastSent > IDLE_AFTER_NANOS;
      await(conn, idle ? IDLE_WAIT_MILLIS : BUSY_WAIT_MILLIS);
    }
  }

  /** Waits the whole time even if signals come, so that at most one is sent in it. */
  private void await(Connection conn, int millis) throws SQLException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    for (long left = millis;
        left > 0;
        left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())) {
      if (PostgresDriver.awaitNotification(conn, (int) left)) {
        signal();
      }
    }
  }

  private void notifyOthers(Connection conn) throws SQLException {
    try (PreparedStatement statement = conn.prepareStatement("SELECT pg_notify(?, '')")) {
      statement.setString(1, channel);
      statement.execute();
    }
  }

  private void signal() {
    try {
      onSignal.run();
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "the receiver of node signals failed", e);
    }
  }

  private void recovered() {
    if (outage) {
      LOG.log(Level.INFO, "node signals are back channel=" + channel);
    }
    outage = false;
    backoffMillis = FIRST_BACKOFF_MILLIS;
  }

  private void lost(Exception cause) {
    if (!outage && !isStopped()) {
      String message = "node signals are lost until the database is back channel=" + channel;
      LOG.log(Level.WARNING, message, cause);
    }
    outage = true;
    pause();
    backoffMillis = Math.min(2 * backoffMillis, LAST_BACKOFF_MILLIS);
  }

  private void pause() {
    try {
      if (stopped.await(backoffMillis, TimeUnit.MILLISECONDS)) {
        backoffMillis = FIRST_BACKOFF_MILLIS;
      }
    } catch (InterruptedException e) {
      stopped.countDown();
    }
  }

  private boolean isStopped() {
    return stopped.getCount() == 0;
  }

  private static void execute(Connection conn, String sql) throws SQLException {
    try (Statement statement = conn.createStatement()) {
      statement.execute(sql);
    }
  }
}
