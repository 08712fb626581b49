package outbox.chaos.scenario;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import outbox.EventEnvelope;
import outbox.chaos.scenario.Journal.Fact;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcTransactionManager.Transaction;
import outbox.spi.StoreException;

/**
 * Threads that publish one event per business transaction, roll every tenth back and try again when
 * the database fails them.
 */
final class Publishers implements AutoCloseable {
  static final String EVENT_TYPE = "chaos";

  private static final int ROLLBACK_PERIOD = 10;
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(20);

  private final JdbcOutbox outbox;
  private final Journal journal;
  private final AtomicInteger remaining;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  private Publishers(JdbcOutbox outbox, Journal journal, int limit) {
    this.outbox = outbox;
    this.journal = journal;
    this.remaining = new AtomicInteger(limit);
  }

  /** Publishes until {@code limit} events are committed, or until stopped. */
  static Publishers start(JdbcOutbox outbox, Journal journal, int threads, int limit) {
    Publishers publishers = new Publishers(outbox, journal, limit);
    for (int i = 0; i < threads; i++) {
      Thread thread = new Thread(publishers::run, "publisher-" + i);
      thread.setDaemon(true);
      publishers.threads.add(thread);
      thread.start();
    }
    return publishers;
  }

  void awaitEnd() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join(Chaos.PATIENCE.toMillis());
      if (thread.isAlive()) {
        throw new IllegalStateException(thread.getName() + " does not end");
      }
    }
  }

  /** Lets no thread begin another transaction. */
  void stop() {
    stopped = true;
  }

  @Override
  public void close() {
    stop();
  }

  private void run() {
    while (!stopped) {
      int ticket = remaining.getAndDecrement();
      if (ticket <= 0) {
        return;
      }
      if (ticket % ROLLBACK_PERIOD == 0) {
        publish(false);
      }
      while (!publish(true) && !stopped) {
        LockSupport.parkNanos(PAUSE_AFTER_FAILURE.toNanos());
      }
    }
  }

  /** Returns whether the transaction ended as it should. */
  private boolean publish(boolean commit) {
    EventEnvelope event = EventEnvelope.ofJson(EVENT_TYPE, "{\"commit\":" + commit + "}");
    boolean committing = false;
    try (Transaction transaction = outbox.transactions().begin()) {
      insertBusinessRow(transaction.connection(), event.eventId());
      outbox.publish(event);
      if (commit) {
        committing = true;
        transaction.commit();
        journal.write(Fact.COMMITTED, event.eventId());
      } else {
        journal.write(Fact.ROLLED_BACK, event.eventId());
      }
      return true;
    } catch (StoreException | SQLException e) {
      journal.write(committing ? Fact.IN_DOUBT : Fact.ROLLED_BACK, event.eventId());
      return false;
    }
  }

  private static void insertBusinessRow(Connection connection, String id) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO business (event_id) VALUES (?)")) {
      insert.setString(1, id);
      insert.executeUpdate();
    }
  }
}
