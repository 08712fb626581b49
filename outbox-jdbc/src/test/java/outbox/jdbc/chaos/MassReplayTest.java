package outbox.jdbc.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.Bulk;
import outbox.DeadLetters;
import outbox.OutboxConfig;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.model.DeadLetterFilter;
import outbox.spi.EndedEventStore.DeadCount;
import outbox.util.Pause;

/**
 * Many dead letters are replayed by a filter while other messages are sent: the replay shows its
 * progress, needs no more memory for many than for few, and the others are handled as ever.
 *
 * <p>2,000 letters; 100,000 with {@code -Doutbox.chaos=full}.
 */
class MassReplayTest {
  private static final int LETTERS = Chaos.events(2_000, 100_000);
  private static final int OTHERS = 100;
  private static final long MEGABYTE = 1 << 20;
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(Chaos.isFull() ? 2 : 20);

  private final AtomicInteger handled = new AtomicInteger();
  private final ConcurrentLinkedQueue<Long> waits = new ConcurrentLinkedQueue<>();

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
        replayBesideOthers(outbox);
      }
    }
  }

  private void replayBesideOthers(JdbcOutbox outbox) throws Exception {
    DeadLetters letters = outbox.outbox().deadLetters();
    AtomicBoolean over = new AtomicBoolean();
    Thread others = new Thread(() -> sendUntil(over, outbox), "others");
    others.start();
    List<Long> progress = new ArrayList<>();
    List<Long> heap = new ArrayList<>();
    long start = System.nanoTime();

    long replayed =
        letters.replay(
            DeadLetterFilter.all().topic("bulk").errorContains("broken"),
            Bulk.by("chaos")
                .progress(
                    changed -> {
                      progress.add(changed);
                      if (progress.size() % 20 == 1) {
                        heap.add(usedHeap());
                      }
                      return true;
                    }));

    double seconds = (System.nanoTime() - start) / 1e9;
    over.set(true);
    others.join(Chaos.PATIENCE.toMillis());
    assertThat(replayed).isEqualTo(LETTERS);
    assertThat(progress).hasSize(LETTERS / Bulk.DEFAULT_BATCH_SIZE).isSorted();
    assertThat(Collections.max(heap) - heap.get(0)).isLessThan(64 * MEGABYTE);
    await().atMost(Chaos.PATIENCE).until(() -> handled.get() >= LETTERS);
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
    assertThat(longest).isLessThan(LONGEST_WAIT);
  }

  private JdbcOutbox start(HikariDataSource pool) {
    return JdbcOutbox.builder(pool)
        .config(new OutboxConfig())
        .listener("bulk", event -> handled.incrementAndGet())
        .handler(
            "live",
            (message, context) -> waits.add(System.nanoTime() - Long.parseLong(message.payload())))
        .start();
  }

  /** Enqueued, not published: so they have to be claimed, among those that are replayed. */
  private static void sendUntil(AtomicBoolean over, JdbcOutbox outbox) {
    do {
      outbox.outbox().enqueue("live", String.valueOf(System.nanoTime()));
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
            + "', repeat('x', 1000), 3, 10, now() - interval '1 h', now() - interval '1 h'"
            + " + i * interval '1 ms', now(), 'broken' FROM (SELECT i, '"
            + prefix
            + "' || lpad(i::text, 12, '0') AS id FROM generate_series(1, "
            + count
            + ") i) ids");
  }
}
