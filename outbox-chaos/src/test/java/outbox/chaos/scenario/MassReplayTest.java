package outbox.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import outbox.Bulk;
import outbox.DeadLetters;
import outbox.OutboxConfig;
import outbox.internal.util.Pause;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;
import outbox.model.DeadCount;
import outbox.model.DeadLetterFilter;

/**
 * Many dead letters are replayed by a filter while other messages are sent: the replay shows its
 * progress, needs no more memory for many than for few, and the others are handled as ever.
 *
 * <p>1,000 letters whose handlers are slower than the replay, so that it has to wait for them;
 * 100,000, as fast as they go, with {@code -Doutbox.chaos=full}.
 */
@Tag("slow")
class MassReplayTest {
  private static final int LETTERS = Chaos.events(1_000, 100_000);
  private static final int LETTER_BYTES = Chaos.events(100_000, 1_000);
  private static final int BATCH = Chaos.events(50, Bulk.DEFAULT_BATCH_SIZE);
  private static final int MAX_BACKLOG = Chaos.events(100, Bulk.DEFAULT_MAX_BACKLOG);
  private static final int PER_SECOND = Chaos.events(1_000_000, Bulk.DEFAULT_PER_SECOND);
  private static final int SAMPLE_EVERY = Chaos.events(4, 20);
  private static final int OTHERS = 100;
  private static final long MEGABYTE = 1 << 20;
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);
  private static final Duration BETWEEN_LETTERS = Duration.ofMillis(Chaos.isFull() ? 0 : 5);

  private final AtomicInteger handled = new AtomicInteger();
  private final AtomicInteger sent = new AtomicInteger();
  private final ConcurrentLinkedQueue<Long> waits = new ConcurrentLinkedQueue<>();
  private final Semaphore turns = new Semaphore(0);

  @Test
  void theRestOfTheTrafficIsNotStarved() throws Exception {
    try (TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST)) {
      OutboxSchema.of(database.dataSource()).deploy();
      fill(database, "dead-", "bulk", LETTERS);
      fill(database, "other-", "other", OTHERS);
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl(database.url());
      try (HikariDataSource pool = new HikariDataSource(config);
          JdbcOutbox outbox = start(pool)) {
        replayBesideOthers(outbox, pool);
      }
    }
  }

  private void replayBesideOthers(JdbcOutbox outbox, DataSource pool) throws Exception {
    DeadLetters letters = outbox.queue().deadLetters();
    AtomicBoolean over = new AtomicBoolean();
    Thread others = new Thread(() -> sendUntil(over, outbox), "others");
    others.start();
    Thread pace = new Thread(this::letThemHandle, "pace");
    pace.start();
    List<Long> progress = new ArrayList<>();
    List<Integer> backlog = new ArrayList<>();
    List<Long> heap = new ArrayList<>();
    long start = System.nanoTime();

    long replayed =
        letters.replay(
            DeadLetterFilter.all().topic("bulk").errorContains("broken"),
            Bulk.by("chaos")
                .batchSize(BATCH)
                .maxBacklog(MAX_BACKLOG)
                .perSecond(PER_SECOND)
                .progress(
                    changed -> {
                      progress.add(changed);
                      backlog.add(backlog(pool));
                      if (progress.size() % SAMPLE_EVERY == 1) {
                        heap.add(usedHeap());
                      }
                      return true;
                    }));

    double seconds = (System.nanoTime() - start) / 1e9;
    over.set(true);
    others.join(Chaos.PATIENCE.toMillis());
    assertThat(replayed).isEqualTo(LETTERS);
    assertThat(progress).hasSize(LETTERS / BATCH).isSorted();
    assertThat(heap).hasSizeGreaterThanOrEqualTo(5);
    assertThat(Collections.max(heap) - heap.get(0)).isLessThan(64 * MEGABYTE);
    assertThat(backlog).allMatch(due -> due <= MAX_BACKLOG + BATCH);
    await().atMost(Chaos.PATIENCE).until(() -> handled.get() >= LETTERS);
    await().atMost(Chaos.PATIENCE).until(() -> waits.size() >= sent.get());
    pace.join(Chaos.PATIENCE.toMillis());
    assertThat(letters.count(DeadLetterFilter.all())).isEqualTo(new DeadCount(OTHERS, true));
    List<Long> sorted = waits.stream().sorted().toList();
    Duration longest = Duration.ofNanos(sorted.get(sorted.size() - 1));
    Chaos.report(
        String.format(
            "%d letters replayed in %.1f s, %.0f/s; %d others waited p50 %.1f ms, p99 %.1f ms, %.1f"
                + " ms at the most; heap grew by %d MB",
            LETTERS,
            seconds,
            LETTERS / seconds,
            sorted.size(),
            sorted.get(sorted.size() / 2) / 1e6,
            sorted.get(sorted.size() * 99 / 100) / 1e6,
            longest.toNanos() / 1e6,
            (Collections.max(heap) - heap.get(0)) / MEGABYTE));
    if (Chaos.isFull()) {
      assertThat(longest).isLessThan(LONGEST_WAIT);
    }
  }

  private void letThemHandle() {
    for (int i = 0; i < LETTERS; i++) {
      turns.release();
      Pause.of(BETWEEN_LETTERS);
    }
  }

  private void handle() {
    turns.acquireUninterruptibly();
    handled.incrementAndGet();
  }

  /** How many of the letters are due and not taken. */
  private static int backlog(DataSource pool) {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT COUNT(*) FROM outbox_event WHERE event_type = 'bulk' AND status IN (0, 2)"
                    + " AND available_at <= now()")) {
      row.next();
      return row.getInt(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private JdbcOutbox start(HikariDataSource pool) {
    return JdbcOutbox.builder(pool)
        .config(config())
        .listener("bulk", event -> handle())
        .handler(
            "live",
            (message, context) -> waits.add(System.nanoTime() - Long.parseLong(message.payload())))
        .start();
  }

  /** The short form takes few in advance: what is taken is no backlog any more. */
  private static OutboxConfig config() {
    OutboxConfig config = new OutboxConfig();
    return Chaos.isFull() ? config : config.setColdQueueCapacity(50);
  }

  /** Enqueued, not published: so they have to be claimed, among those that are replayed. */
  private void sendUntil(AtomicBoolean over, JdbcOutbox outbox) {
    do {
      outbox.queue().enqueue("live", String.valueOf(System.nanoTime()));
      sent.incrementAndGet();
      Pause.of(PAUSE);
    } while (!over.get());
  }

  private static long usedHeap() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  private static void fill(TestDatabase database, String prefix, String topic, int count) {
    database.execute(
        "INSERT INTO outbox_event (event_id, idempotency_key, event_type, payload_text, status,"
            + " attempts, available_at, created_at, occurred_at, last_error) SELECT id, id, '"
            + topic
            + "', repeat('x', "
            + LETTER_BYTES
            + "), 3, 10, now() - interval '1 h', now() - interval '1 h'"
            + " + i * interval '1 ms', now(), 'broken' FROM (SELECT i, '"
            + prefix
            + "' || lpad(i::text, 12, '0') AS id FROM generate_series(1, "
            + count
            + ") i) ids");
  }
}
