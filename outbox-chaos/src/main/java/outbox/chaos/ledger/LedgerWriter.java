package outbox.chaos.ledger;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import outbox.chaos.clock.SteadyClock;

/**
 * Writes entries from many threads by one connection: those that wait at the same time share a
 * statement. Thread-safe.
 */
public final class LedgerWriter {
  private static final int LARGEST_BATCH = 200;
  private static final long SLOW_MILLIS = 500;

  private final String node;
  private final String url;
  private final BlockingQueue<Pending> queue = new LinkedBlockingQueue<>();
  private @Nullable Connection reading;

  private LedgerWriter(String node, String url) {
    this.node = node;
    this.url = url;
  }

  /** A writer for one node, with a thread that lives as long as the process. */
  public static LedgerWriter start(String node, String url) {
    LedgerWriter writer = new LedgerWriter(node, url);
    Thread thread = new Thread(writer::run, "ledger");
    thread.setDaemon(true);
    thread.start();
    return writer;
  }

  /**
   * Returns when the entry is stored. No fault touches the ledger: if that takes long, it is the
   * machine.
   */
  public void write(Fact fact, String subject, String id, String detail) {
    long before = System.nanoTime();
    CountDownLatch stored = new CountDownLatch(1);
    queue.add(new Pending(entry(fact, subject, id, detail), stored));
    awaitUninterruptibly(stored);
    noteIfSlow(before);
  }

  /**
   * Writes down that the machine is too busy for short leases, if something that takes no time took
   * long.
   *
   * @param before when it began, in nanoseconds
   */
  public void noteIfSlow(long before) {
    long took = (System.nanoTime() - before) / 1_000_000;
    if (took > SLOW_MILLIS) {
      note(Fact.STALLED, "", "", String.valueOf(took));
    }
  }

  /** Stores the entry soon. */
  public void note(Fact fact, String subject, String id, String detail) {
    queue.add(new Pending(entry(fact, subject, id, detail), new CountDownLatch(1)));
  }

  /** How many calls of this id have begun, of whatever process. */
  public synchronized int calls(String id) throws SQLException {
    if (reading == null) {
      reading = DriverManager.getConnection(url);
    }
    try (PreparedStatement select =
        reading.prepareStatement("SELECT count(*) FROM entry WHERE id = ? AND fact = 'START'")) {
      select.setString(1, id);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    }
  }

  private Entry entry(Fact fact, String subject, String id, String detail) {
    return new Entry(SteadyClock.millis(), node, fact, subject, id, detail);
  }

  /** The process must not go on without its ledger: whatever fails here ends it. */
  private void run() {
    try (Connection connection = DriverManager.getConnection(url + "&reWriteBatchedInserts=true");
        PreparedStatement insert = connection.prepareStatement(Ledger.INSERT)) {
      List<Pending> batch = new ArrayList<>();
      while (true) {
        batch.add(queue.take());
        queue.drainTo(batch, LARGEST_BATCH);
        for (Pending pending : batch) {
          add(insert, pending.entry);
        }
        insert.executeBatch();
        batch.forEach(pending -> pending.stored.countDown());
        batch.clear();
      }
    } catch (Throwable e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(Exit.LEDGER_LOST);
    }
  }

  private static void add(PreparedStatement insert, Entry entry) throws SQLException {
    insert.setLong(1, entry.at());
    insert.setString(2, entry.node());
    insert.setString(3, entry.fact().name());
    insert.setString(4, entry.subject());
    insert.setString(5, entry.id());
    insert.setString(6, entry.detail());
    insert.addBatch();
  }

  /** A listener may be interrupted by the engine; what it did is written down all the same. */
  private static void awaitUninterruptibly(CountDownLatch latch) {
    boolean interrupted = false;
    while (true) {
      try {
        latch.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private record Pending(Entry entry, CountDownLatch stored) {}
}
