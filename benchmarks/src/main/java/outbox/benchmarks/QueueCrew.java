package outbox.benchmarks;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;

/** Workers of one kind, a thread for each. */
final class QueueCrew implements AutoCloseable {
  private final List<QueueWorker> workers = new ArrayList<>();
  private final ExecutorService threads;

  QueueCrew(QueueKind kind, PlainSql sql, DataSource dataSource, int size, int batchSize)
      throws SQLException {
    for (int i = 0; i < size; i++) {
      workers.add(kind.hire(sql, dataSource, batchSize));
    }
    this.threads = Executors.newFixedThreadPool(size);
  }

  /** Returns how many messages that were. */
  long workOffABatchEach() throws Exception {
    return onAll(worker -> (long) worker.workOffABatch());
  }

  /** Until nothing is left; returns how many messages that were. */
  long workOffAll() throws Exception {
    return onAll(
        worker -> {
          long done = 0;
          for (int batch = worker.workOffABatch(); batch > 0; batch = worker.workOffABatch()) {
            done += batch;
          }
          return done;
        });
  }

  private long onAll(Work work) throws Exception {
    List<Callable<Long>> calls = new ArrayList<>();
    workers.forEach(worker -> calls.add(() -> work.of(worker)));
    long done = 0;
    for (Future<Long> each : threads.invokeAll(calls)) {
      done += each.get();
    }
    return done;
  }

  @Override
  public void close() throws SQLException {
    threads.shutdown();
    for (QueueWorker worker : workers) {
      worker.close();
    }
  }

  @FunctionalInterface
  private interface Work {
    long of(QueueWorker worker) throws Exception;
  }
}
