package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import outbox.Outbox;
import outbox.OutboxMessage;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.model.MessageId;
import outbox.model.OwnerToken;

/** Acknowledges a backlog that is claimed already, by several workers at once. */
final class JoinAcks {
  private static final int WORKERS = 4;
  private static final Duration LEASE = Duration.ofMinutes(5);

  private final Lab lab;
  private final JoinKind kind;
  private final int batchSize;

  JoinAcks(Lab lab, JoinKind kind, int batchSize) {
    this.lab = lab;
    this.kind = kind;
    this.batchSize = batchSize;
  }

  Usage of(int messages) throws Exception {
    JoinTables tables = new JoinTables(lab.server());
    tables.recreate();
    tables.load(messages, kind.hasSteps() ? messages : 0);
    Usage usage;
    ExecutorService threads = Executors.newFixedThreadPool(WORKERS);
    try (HikariDataSource pool = lab.server().pool(WORKERS)) {
      Outbox outbox =
          Outbox.builder(new DataSourceConnectionProvider(pool), kind.store()).build();
      List<Callable<Long>> workers = workers(outbox);
      Meter meter = Meter.start(lab.server());
      long acknowledged = 0;
      for (Future<Long> worker : threads.invokeAll(workers)) {
        acknowledged += worker.get();
      }
      usage = meter.stop(acknowledged);
    } finally {
      threads.shutdownNow();
    }
    if (kind.hasSteps()) {
      tables.requireAllCompleted(messages);
    }
    return usage;
  }

  /** The batches go round, so that the workers meet in every part of the table. */
  private List<Callable<Long>> workers(Outbox outbox) {
    OwnerToken owner = OwnerToken.random();
    List<List<List<MessageId>>> shares = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      shares.add(new ArrayList<>());
    }
    int next = 0;
    List<OutboxMessage> claimed = outbox.claim(owner, LEASE, batchSize);
    while (!claimed.isEmpty()) {
      shares.get(next++ % WORKERS).add(claimed.stream().map(OutboxMessage::id).toList());
      claimed = outbox.claim(owner, LEASE, batchSize);
    }
    List<Callable<Long>> workers = new ArrayList<>();
    for (List<List<MessageId>> share : shares) {
      workers.add(() -> share.stream().mapToLong(ids -> outbox.ack(owner, ids).size()).sum());
    }
    return workers;
  }
}
