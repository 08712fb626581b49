package outbox.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.OutboxConfig;

/** The library's completion policy by hand: at once when idle, else by its interval and batch. */
final class HandWrittenCompleter implements Runnable {
  private static final OutboxConfig POLICY = new OutboxConfig();
  private static final long INTERVAL_NANOS = POLICY.getFlushInterval().toNanos();
  private static final String DEADLOCK = "40001";
  private static final int BATCH = POLICY.getFlushBatchSize();

  private final PlainSql sql;
  private final DataSource dataSource;
  private final String owner;
  private final Completion completion;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private List<String> waiting = new ArrayList<>(BATCH);
  private long lastFlush = System.nanoTime() - INTERVAL_NANOS;
  private volatile long completed;
  private volatile @Nullable SQLException failure;

  HandWrittenCompleter(PlainSql sql, DataSource dataSource, String owner, Completion completion) {
    this.sql = sql;
    this.dataSource = dataSource;
    this.owner = owner;
    this.completion = completion;
  }

  void add(String eventId) {
    lock.lock();
    try {
      waiting.add(eventId);
      if (waiting.size() == 1 || waiting.size() == BATCH) {
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  long completed() {
    if (failure != null) {
      throw new IllegalStateException("completion failed", failure);
    }
    return completed;
  }

  @Override
  public void run() {
    try {
      while (true) {
        flush(next());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private List<String> next() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (waiting.isEmpty()) {
        changed.await();
      }
      long rest = lastFlush + INTERVAL_NANOS - System.nanoTime();
      while (rest > 0 && waiting.size() < BATCH) {
        rest = changed.awaitNanos(rest);
      }
      lastFlush = System.nanoTime();
      List<String> batch = waiting;
      waiting = new ArrayList<>(BATCH);
      return batch;
    } finally {
      lock.unlock();
    }
  }

  private void flush(List<String> ids) {
    try (Connection connection = dataSource.getConnection()) {
      long done = completed + completeDespiteDeadlocks(connection, ids);
      completed = done;
    } catch (SQLException e) {
      failure = e;
      throw new IllegalStateException("completion failed", e);
    }
  }

  /** InnoDB may choose the completion as the victim of a deadlock with an insert. */
  private int completeDespiteDeadlocks(Connection connection, List<String> ids)
      throws SQLException {
    while (true) {
      try {
        return sql.complete(connection, ids, owner, completion);
      } catch (SQLTransactionRollbackException e) {
        if (!DEADLOCK.equals(e.getSQLState())) {
          throw e;
        }
      }
    }
  }
}
