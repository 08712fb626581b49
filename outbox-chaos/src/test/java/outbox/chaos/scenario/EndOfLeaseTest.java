package outbox.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;

/**
 * Two nodes on one database, and transactions that commit shortly before the lease of their insert
 * ends: no event runs on both nodes at once, and each runs once.
 *
 * <p>One round of 12 commits; 100 rounds with {@code -Doutbox.chaos=full}.
 */
@Tag("slow")
class EndOfLeaseTest {
  private static final int ROUNDS = Chaos.events(1, 100);
  private static final int COMMITS = 12;
  private static final Duration LEASE = Duration.ofSeconds(3);

  /** The commits are spread over this time before the end of the lease. */
  private static final Duration SPREAD = Duration.ofMillis(400);

  private static final OutboxConfig CONFIG =
      new OutboxConfig()
          .setLeaseDuration(LEASE)
          .setPollerIntervalMs(20)
          .setDispatcherWorkers(COMMITS);

  private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
  private final Queue<String> twoAtOnce = new ConcurrentLinkedQueue<>();

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES_OLDEST", "POSTGRES_NEWEST", "MARIADB", "MYSQL", "H2"})
  void noEventRunsOnTwoNodesAtOnceWhenItsCommitComesAtTheEndOfItsLease(Product product)
      throws Exception {
    try (TestDatabase database = TestDatabase.create(product);
        HikariDataSource pool = TestDatabase.pool(database.url())) {
      OutboxSchema.of(pool).deploy();
      try (JdbcOutbox publisher = node(pool);
          JdbcOutbox other = node(pool)) {
        for (int round = 0; round < ROUNDS; round++) {
          commitAtTheEndOfTheLease(publisher);
          int expected = (round + 1) * COMMITS;
          await().atMost(Chaos.PATIENCE).until(() -> runs.size() == expected && running.isEmpty());
        }
        assertThat(other).isNotNull();
      }
    }
    assertThat(twoAtOnce).isEmpty();
    assertThat(runs.values()).allSatisfy(times -> assertThat(times).hasValue(1));
    Chaos.report(product + ": " + runs.size() + " commits at the end of a lease, each ran once");
  }

  private JdbcOutbox node(HikariDataSource pool) {
    return JdbcOutbox.builder(pool).config(CONFIG).listener("Late", this::handle).start();
  }

  /** Runs past the end of the insert's lease, so that the other node gets its chance. */
  private void handle(EventEnvelope event) {
    String id = event.eventId();
    if (running.computeIfAbsent(id, key -> new AtomicInteger()).incrementAndGet() > 1) {
      twoAtOnce.add(id);
    }
    LockSupport.parkNanos(SPREAD.multipliedBy(2).toNanos());
    runs.computeIfAbsent(id, key -> new AtomicInteger()).incrementAndGet();
    running.computeIfPresent(id, (key, count) -> count.decrementAndGet() == 0 ? null : count);
  }

  private static void commitAtTheEndOfTheLease(JdbcOutbox outbox) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(COMMITS);
    try {
      List<Future<?>> commits = new ArrayList<>();
      for (int i = 0; i < COMMITS; i++) {
        Duration before = SPREAD.multipliedBy(i).dividedBy(COMMITS);
        commits.add(threads.submit(() -> publishFor(outbox, LEASE.minus(before))));
      }
      for (Future<?> commit : commits) {
        commit.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static Void publishFor(JdbcOutbox outbox, Duration open) throws Exception {
    outbox.inTransaction(
        connection -> {
          outbox.publish(EventEnvelope.ofJson("Late", "{}"));
          long end = System.nanoTime() + open.toNanos();
          for (long rest = open.toNanos(); rest > 0; rest = end - System.nanoTime()) {
            LockSupport.parkNanos(rest);
          }
        });
    return null;
  }
}
