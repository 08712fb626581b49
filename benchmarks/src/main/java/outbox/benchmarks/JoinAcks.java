package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import outbox.Outbox;
import outbox.OutboxBuilder;
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

  /** Without the first half of the backlog, for which statements are prepared. */
  Usage of(int messages) throws Exception {
    JoinTables tables = new JoinTables(lab.server());
    tables.recreate();
    tables.load(messages, kind.hasSteps());
    Usage usage;
    ExecutorService threads = Executors.newFixedThreadPool(WORKERS);
    try (HikariDataSource pool = lab.server().pool(WORKERS)) {
      Outbox outbox =
          OutboxBuilder.of(new DataSourceConnectionProvider(pool), kind.store()).build();
      OwnerToken owner = OwnerToken.random();
      List<List<MessageId>> batches = claimAll(outbox, owner);
      int half = batches.size() / 2;
      acknowledge(threads, outbox, owner, batches.subList(0, half));
      Meter meter = Meter.start(lab.server());
      List<List<MessageId>> rest = batches.subList(half, batches.size());
      usage = meter.stop(acknowledge(threads, outbox, owner, rest));
    } finally {
      threads.shutdownNow();
    }
    if (kind.hasSteps()) {
      tables.requireAllCompleted(messages);
    }
    return usage;
  }

  private List<List<MessageId>> claimAll(Outbox outbox, OwnerToken owner) {
    List<List<MessageId>> batches = new ArrayList<>();
    List<OutboxMessage> claimed = outbox.claim(owner, LEASE, batchSize);
    while (!claimed.isEmpty()) {
      batches.add(claimed.stream().map(OutboxMessage::id).toList());
      claimed = outbox.claim(owner, LEASE, batchSize);
    }
    return batches;
  }

  /** Everybody takes the next batch; returns how many messages that were. */
  private static long acknowledge(
      ExecutorService threads, Outbox outbox, OwnerToken owner, List<List<MessageId>> batches)
      throws Exception {
    Queue<List<MessageId>> queue = new ConcurrentLinkedQueue<>(batches);
    Callable<Long> worker =
        () -> {
          long acknowledged = 0;
          for (List<MessageId> ids = queue.poll(); ids != null; ids = queue.poll()) {
            acknowledged += outbox.ack(owner, ids).size();
          }
          return acknowledged;
        };
    long acknowledged = 0;
    for (Future<Long> each : threads.invokeAll(Collections.nCopies(WORKERS, worker))) {
      acknowledged += each.get();
    }
    return acknowledged;
  }
}
