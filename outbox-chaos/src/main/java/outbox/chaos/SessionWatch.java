package outbox.chaos;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import outbox.chaos.ledger.LedgerWriter;
import outbox.chaos.server.TriedServer;

/**
 * Counts the sessions of the application on the server, while that answers, and writes down when it
 * was slow to do so: the machine is too busy for short leases then.
 */
final class SessionWatch implements AutoCloseable {
  private static final int PERIOD_MILLIS = 200;

  private final TriedServer server;
  private final LedgerWriter ledger;
  private final Thread thread = new Thread(this::run, "session-watch");
  private volatile long most;
  private volatile boolean closed;

  /**
   * @param ledger writes in the name of the database
   */
  SessionWatch(TriedServer server, LedgerWriter ledger) {
    this.server = server;
    this.ledger = ledger;
    thread.setDaemon(true);
    thread.start();
  }

  long most() {
    return most;
  }

  private void run() {
    while (!closed) {
      long began = System.nanoTime();
      try {
        most = Math.max(most, server.sessions());
      } catch (SQLException e) {
        // A fault keeps the server from answering; the next look counts.
      }
      ledger.noteIfSlow(began);
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
