package outbox.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;
import javax.sql.DataSource;
import outbox.EventEnvelope;

/**
 * What a good engineer writes for one service in an afternoon: leased insert, a queue in memory,
 * four workers, group-committed completions. It recovers nothing, retries nothing but deadlocks,
 * and forgets what was in memory when it crashes; that is what the library is measured against.
 */
final class HandWritten implements Contestant {
  private static final String OWNER = UUID.randomUUID().toString();
  private static final int WORKERS = 4;
  private static final int CAPACITY = 1000;

  private final PlainSql sql;
  private final DataSource dataSource;
  private final Consumer<EventEnvelope> listener;
  private final BlockingQueue<EventEnvelope> queue = new ArrayBlockingQueue<>(CAPACITY);
  private final HandWrittenCompleter completer;
  private final List<Thread> threads = new ArrayList<>();

  HandWritten(
      PlainSql sql,
      DataSource dataSource,
      Consumer<EventEnvelope> listener,
      Completion completion) {
    this.sql = sql;
    this.dataSource = dataSource;
    this.listener = listener;
    this.completer = new HandWrittenCompleter(sql, dataSource, OWNER, completion);
    threads.add(new Thread(completer, "hand-completer"));
    for (int i = 0; i < WORKERS; i++) {
      threads.add(new Thread(this::work, "hand-worker-" + i));
    }
    threads.forEach(thread -> thread.setDaemon(true));
    threads.forEach(Thread::start);
  }

  @Override
  public void commit(EventEnvelope event, boolean withBusinessRow) throws Exception {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      if (withBusinessRow) {
        PlainSql.insertOrder(connection, event);
      }
      sql.insertLeased(connection, event, OWNER);
      connection.commit();
      queue.put(event);
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      throw new IllegalStateException("commit failed", e);
    }
  }

  private void work() {
    try {
      while (true) {
        EventEnvelope event = queue.take();
        listener.accept(event);
        completer.add(event.eventId());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public long completed() {
    return completer.completed();
  }

  @Override
  public void close() {
    threads.forEach(Thread::interrupt);
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
