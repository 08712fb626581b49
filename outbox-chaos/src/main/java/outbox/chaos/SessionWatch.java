package outbox.chaos;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import outbox.chaos.server.TriedServer;

/** Counts the sessions of the application on the server, while that answers. */
final class SessionWatch implements AutoCloseable {
  private static final int PERIOD_MILLIS = 500;

  private final TriedServer server;
  private final Thread thread = new Thread(this::run, "session-watch");
  private volatile int most;
  private volatile boolean closed;

  SessionWatch(TriedServer server) {
    this.server = server;
    thread.setDaemon(true);
    thread.start();
  }

  int most() {
    return most;
  }

  private void run() {
    while (!closed) {
      try {
        most = Math.max(most, server.sessions());
      } catch (SQLException e) {
        // A fault keeps the server from answering; the next look counts.
      }
      try {
        TimeUnit.MILLISECONDS.sleep(PERIOD_MILLIS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
