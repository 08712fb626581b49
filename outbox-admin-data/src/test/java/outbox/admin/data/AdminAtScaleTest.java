package outbox.admin.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import outbox.admin.metrics.HealthThresholds;
import outbox.admin.metrics.MetricsSnapshot;
import outbox.contracts.support.Spec;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;

/**
 * Lists, snapshot and searches over a table that has grown: what they read stays bounded, whatever
 * the statistics say. With {@code -Doutbox.scale=full} the table has 5 million rows, and the times
 * are limited too.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AdminAtScaleTest {
  private static final boolean FULL = "full".equals(System.getProperty("outbox.scale"));
  private static final int ROWS = FULL ? 5_000_000 : 50_000;
  private static final int ROUNDS = 9;
  private static final Duration PAGE_LIMIT = Duration.ofMillis(200);
  private static final Duration SNAPSHOT_LIMIT = Duration.ofMillis(50);

  /** Of a hundred rows: 48 new, 2 failed, 2 scheduled, 5 dead, the others done; 500 are leased. */
  private static final String FILL =
      """
      INSERT INTO outbox_event (event_id, event_type, tenant_id, correlation_id, idempotency_key,
        payload_text, status, attempts, available_at, created_at, due_at, done_at, last_error,
        owner_token, kept)
      SELECT id, 'topic-' || n %% 20, 'tenant-' || n %% 7, 'c-' || n, id, repeat('x', 200),
        CASE WHEN p < 47 THEN 0 WHEN p < 49 THEN 2 WHEN p < 52 THEN 0 WHEN p < 57 THEN 3 ELSE 1 END,
        CASE WHEN p BETWEEN 47 AND 48 THEN 2 WHEN p BETWEEN 52 AND 56 THEN 10 ELSE 0 END,
        CASE WHEN p BETWEEN 49 AND 50 THEN now() + n * INTERVAL '1 second' + INTERVAL '1 hour'
             WHEN leased THEN now() + INTERVAL '10 minutes' + n * INTERVAL '1 microsecond'
             ELSE stored + INTERVAL '1 second' END,
        stored,
        CASE WHEN p BETWEEN 49 AND 50 THEN now() + n * INTERVAL '1 second' + INTERVAL '1 hour' END,
        CASE WHEN p >= 57 THEN stored + INTERVAL '2 seconds' END,
        CASE WHEN p BETWEEN 47 AND 48 OR p BETWEEN 52 AND 56 THEN 'refused by host-' || n %% 50 END,
        CASE WHEN leased THEN 'node-' || n %% 3 || '.ABCDEFGHJK.' || n %% 9 END,
        CASE WHEN n < %1$d / 2 THEN 0 ELSE 1 END
      FROM (
        SELECT n, (n * 37) %% 100 AS p, lpad(to_hex(n), 26, '0') AS id,
          now() - (%1$d - n) * INTERVAL '10 milliseconds' AS stored,
          (n * 37) %% 100 = 51 AND n %% (%1$d / 500) < 100 AS leased
        FROM generate_series(1, %1$d) AS n) AS numbers
      """;

  private final TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST);
  private final ExplainedDataSource explained = new ExplainedDataSource(database.dataSource());
  private final OperatedDatabase explaining =
      OperatedDatabase.builder("big", explained.explained())
          .timeLimit(Duration.ofMinutes(5))
          .build();
  private final OperatedDatabase operated =
      OperatedDatabase.builder("big", database.dataSource()).build();

  /** While the statistics are those of an empty table, everything is looked at once. */
  @BeforeAll
  void fill() {
    OutboxSchema.of(database.dataSource()).withJoins().deploy();
    database.execute(
        "ALTER TABLE outbox_event SET (autovacuum_enabled = off)",
        "ANALYZE outbox_event",
        FILL.formatted(ROWS));
    noLookReadsMoreThanItsBound();
    database.execute("VACUUM ANALYZE outbox_event");
  }

  @AfterAll
  void close() {
    database.close();
  }

  @Test
  @Spec("IDEM-52")
  void noLookReadsMoreThanItsBound() {
    looks(explaining)
        .forEach(
            (name, look) -> {
              look.run();
              List<Plan> plans = explained.plans();
              assertThat(plans).as(name).isNotEmpty();
              assertThat(plans.stream().mapToLong(Plan::rowsRead).sum())
                  .as(name)
                  .isGreaterThanOrEqualTo(
                      name.contains("first page") ? PageRequest.DEFAULT_SIZE : 0);
              for (Plan plan : plans) {
                assertThat(plan.scansTheTable()).as("%s%n%s", name, plan).isFalse();
                assertThat(plan.rowsRead())
                    .as("%s%n%s", name, plan)
                    .isLessThanOrEqualTo(bound(plan));
              }
            });
  }

  /**
   * A numbered page walks over the index of what it skips; the snapshot reads three kinds of rows,
   * and counts as far as the largest limit of health.
   */
  private static long bound(Plan plan) {
    if (plan.sql().contains("OFFSET")) {
      return PageRequest.MAX_SKIPPED;
    }
    if (plan.sql().contains("AS counted")) {
      return HealthThresholds.DEFAULT.backlog().unhealthy() + 1;
    }
    return plan.sql().contains("UNION ALL") ? 3L * Snapshots.LIMIT : Listing.LOOK + 1_000L;
  }

  @Test
  void aSearchThatStopsSaysHowFarItCameAndGoesOn() {
    EventQuery query = EventQuery.of(EventView.PENDING).correlation("c-nobody");
    Page<EventRow> page = operated.events().list(query);
    assertThat(page.items()).isEmpty();
    assertThat(page.window()).isNotNull();
    int pages = 1;
    while (page.next() != null && pages < 1_000) {
      page = operated.events().list(query.paging(PageRequest.FIRST.cursor(page.next())));
      pages++;
    }
    int pending = ROWS / 100 * 52;
    assertThat(pages).isEqualTo(Math.min(1_000, pending / Listing.LOOK + 1));
    assertThat(page.window() == null).isEqualTo(page.next() == null);
  }

  @Test
  @Spec({"IDEM-44", "IDEM-51"})
  void theSnapshotSaysWhatItDidNotCount() {
    MetricsSnapshot snapshot = operated.snapshot();
    long due = ROWS / 100 * 50L;
    long counted = HealthThresholds.DEFAULT.backlog().unhealthy() + 1;
    assertThat(snapshot.backlog().atLeast()).isEqualTo(due > counted);
    assertThat(snapshot.backlog().value()).isGreaterThanOrEqualTo(Math.min(due, counted));
    assertThat(snapshot.scheduled().value())
        .isGreaterThanOrEqualTo(Math.min(ROWS / 100 * 2, Snapshots.LIMIT / 2));
    assertThat(snapshot.leased().value()).isPositive();
    assertThat(snapshot.dead().atLeast()).isEqualTo(ROWS / 100 * 5 >= Snapshots.LIMIT);
    assertThat(snapshot.topics()).hasSize(20);
    assertThat(snapshot.tenants()).hasSize(7);
  }

  @Test
  void pagesAreFastAtTheFullSize() {
    Map<String, Duration> slow = new LinkedHashMap<>();
    looks(operated)
        .forEach(
            (name, look) -> {
              Duration limit = name.equals("snapshot") ? SNAPSHOT_LIMIT : PAGE_LIMIT;
              Duration time = median(look);
              if (FULL) {
                System.getLogger("outbox.scale")
                    .log(System.Logger.Level.INFO, name + " " + time.toMillis() + " ms");
              }
              if (FULL && time.compareTo(limit) > 0) {
                slow.put(name, time);
              }
            });
    assertThat(slow).isEmpty();
  }

  private static Map<String, Runnable> looks(OperatedDatabase database) {
    Map<String, Runnable> looks = new LinkedHashMap<>();
    looks.put("snapshot", database::snapshot);
    looks.put("facts", database::facts);
    looks.put("nodes", () -> database.events().nodes());
    looks.put("one event", () -> database.events().find("%026x".formatted(ROWS / 2), true));
    int lastPage = Math.min(1_000, ROWS / 100 / 50);
    for (EventView view : EventView.values()) {
      EventQuery all = EventQuery.of(view);
      looks.put(view + " first page", () -> database.events().list(all));
      boolean searched =
          view == EventView.FAILED || view == EventView.LEASED || view == EventView.SCHEDULED;
      int page = searched ? 2 : lastPage;
      looks.put(view + " page " + page, () -> page(database, all, page));
      looks.put(view + " of a topic", () -> database.events().list(all.topic("topic-3")));
      looks.put(
          view + " of a correlation", () -> database.events().list(all.correlation("c-nobody")));
      looks.put(view + " by error", () -> database.events().list(all.error("host-99")));
      looks.put(
          view + " since an hour",
          () -> database.events().list(all.from(Instant.now().minusSeconds(3_600))));
    }
    return looks;
  }

  private static void page(OperatedDatabase database, EventQuery query, int number) {
    Page<EventRow> page =
        database
            .events()
            .list(query.paging(new PageRequest(number, PageRequest.DEFAULT_SIZE, null)));
    if (page.next() != null) {
      database.events().list(query.paging(PageRequest.FIRST.cursor(page.next())));
    }
  }

  private static Duration median(Runnable look) {
    List<Long> times = new ArrayList<>();
    for (int i = 0; i < (FULL ? ROUNDS : 1); i++) {
      long start = System.nanoTime();
      look.run();
      times.add(System.nanoTime() - start);
    }
    Collections.sort(times);
    return Duration.of(times.get(times.size() / 2), TimeUnit.NANOSECONDS.toChronoUnit());
  }
}
