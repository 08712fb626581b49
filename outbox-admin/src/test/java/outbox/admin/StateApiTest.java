package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.admin.Site.Reply;
import outbox.admin.data.OperatedDatabase;
import outbox.admin.metrics.HealthThresholds;
import outbox.contracts.support.Spec;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.InboxSchema;
import outbox.metrics.Activity;

class StateApiTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int OTHERS = 4;

  @Test
  @Spec({"IDEM-55", "IDEM-86"})
  void metricsAreASnapshotAsJson() {
    try (Site site = Site.start(settings -> settings.sampling(Duration.ofHours(1)))) {
      site.queue().dead("order", "boom");
      site.queue().retrying("order", "again");
      site.queue().leased("order");
      await().atMost(LONG).until(() -> "1".equals(figure(site, "scheduled")));
      await().atMost(LONG).until(() -> "1".equals(figure(site, "leased")));

      Reply reply = site.get("/metrics");

      assertThat(reply.value("/databases/0/name")).isEqualTo("main");
      assertThat(figure(site, "dead")).isEqualTo("1");
      assertThat(figure(site, "failedPending")).isEqualTo("1");
      assertThat(figure(site, "oldFailures")).isEqualTo("0");
      assertThat(figure(site, "backlog")).isEqualTo("1");
      assertThat(reply.json().at("/databases/0/snapshot/oldestAgeMs").isNumber()).isTrue();
      assertThat(reply.json().at("/databases/0/snapshot/throughputPerSecond").isNumber()).isTrue();
      assertThat(reply.value("/databases/0/snapshot/windowMs")).isEqualTo("60000");
      assertThat(reply.json().at("/databases/0/snapshot/failureRatio").isNumber()).isTrue();
      assertThat(reply.value("/databases/0/topics/0/topic")).isEqualTo("order");
    }
  }

  @Test
  @Spec({"IDEM-47", "IDEM-48", "IDEM-55", "IDEM-86"})
  void theRatesAreThoseOfTheDispatcherThatCounts() {
    try (TestDatabase database = TestDatabase.create(Product.H2)) {
      new SampleQueue(database.dataSource());
      OperatedDatabase counted =
          OperatedDatabase.builder("counted", database.dataSource())
              .activity(() -> new Activity(Duration.ofSeconds(10), 75, 25))
              .build();
      try (Site site = Site.start(it -> it.database(counted))) {
        Reply reply = site.get("/metrics");

        String snapshot = "/databases/1/snapshot/";
        assertThat(reply.json().at(snapshot + "throughputPerSecond").doubleValue()).isEqualTo(7.5);
        assertThat(reply.json().at(snapshot + "failuresPerSecond").doubleValue()).isEqualTo(2.5);
        assertThat(reply.json().at(snapshot + "failureRatio").doubleValue()).isEqualTo(0.25);
        assertThat(reply.value(snapshot + "windowMs")).isEqualTo("10000");
        assertThat(reply.value("/databases/0/snapshot/windowMs")).isEqualTo("60000");
      }
    }
  }

  @Test
  @Spec({"IDEM-46", "IDEM-86"})
  void theOldestAgeIsInMillisecondsAndThatOfAMessageBeingHandledToo() {
    try (Site site = Site.start()) {
      String id = site.queue().pending("order");
      site.database()
          .execute("UPDATE outbox_event SET created_at = DATEADD(MINUTE, -10, CURRENT_TIMESTAMP)");
      site.queue().claim(id);
      await().atMost(LONG).until(() -> "1".equals(figure(site, "leased")));

      assertThat(site.get("/metrics").json().at("/databases/0/snapshot/oldestAgeMs").asLong())
          .isBetween(Duration.ofMinutes(9).toMillis(), Duration.ofMinutes(15).toMillis());
    }
  }

  @Test
  @Spec({"IDEM-57", "IDEM-86"})
  void prometheusIsServedOnlyIfTurnedOn() {
    try (Site off = Site.start();
        Site on = Site.start(AdminConfig.Builder::prometheus)) {
      Reply reply = on.get("/metrics/prometheus");

      assertThat(reply.header("Content-Type"))
          .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain"));
      assertThat(reply.text())
          .contains("# TYPE outbox_backlog gauge\n", "outbox_backlog{database=\"main\"} 0\n");
      assertThat(off.get("/metrics/prometheus").status()).isEqualTo(404);
    }
  }

  @Test
  @Spec({"IDEM-56", "IDEM-86"})
  void healthIsOkDegradedOrUnhealthyByItsThresholds() {
    try (Site ok = Site.start();
        Site degraded = Site.start(with(HealthThresholds.DEFAULT.withDead(1, 100)));
        Site unhealthy = Site.start(with(HealthThresholds.DEFAULT.withDead(1, 1)))) {
      degraded.queue().dead("order", "boom");
      unhealthy.queue().dead("order", "boom");

      assertThat(ok.get("/health").text()).isEqualTo("{\"status\":\"OK\",\"reasons\":[]}");
      await().atMost(LONG).until(() -> "DEGRADED".equals(degraded.get("/health").value("/status")));
      assertThat(degraded.get("/health").status()).isEqualTo(200);
      await().atMost(LONG).until(() -> unhealthy.get("/health").status() == 503);
      assertThat(unhealthy.get("/health").value("/status")).isEqualTo("UNHEALTHY");
      assertThat(unhealthy.get("/health").value("/reasons/0")).contains("dead");
    }
  }

  @Test
  @Spec("IDEM-56")
  void aDatabaseThatIsGoneIsUnhealthyAndNothingOfItLeaks() {
    JdbcDataSource gone = new JdbcDataSource();
    gone.setUrl("jdbc:h2:mem:gone;IFEXISTS=TRUE");
    gone.setPassword("secret");
    try (Site site =
        Site.start(
            it -> it.prometheus().database(OperatedDatabase.builder("away", gone).build()))) {
      Reply health = site.get("/health");
      Reply overview = site.get("/overview?db=away");
      Reply list = site.get("?db=away");
      Reply databases = site.get("/databases");
      Reply prometheus = site.get("/metrics/prometheus");

      assertThat(health.status()).isEqualTo(503);
      assertThat(site.get("/health?db=main").status()).isEqualTo(200);
      assertThat(databases.value("/1/health")).isEqualTo("UNHEALTHY");
      assertThat(prometheus.text()).contains("outbox_up{database=\"away\"} 0\n");
      assertThat(overview.status()).isEqualTo(503);
      assertThat(list.status()).isEqualTo(503);
      assertThat(list.value("/detail")).contains("The log has it under");
      assertThat(list.text() + overview.text() + health.text() + databases.value("/1/error"))
          .doesNotContainIgnoringCase("jdbc", "select", "h2", "secret", "exception", "at outbox");
    }
  }

  @Test
  void databasesAreAskedAtTheSameTime() {
    try (TestDatabase database = TestDatabase.create(Product.H2)) {
      new SampleQueue(database.dataSource());
      CountDownLatch both = new CountDownLatch(2);
      try (Site site =
          Site.start(
              it ->
                  it.sampling(Duration.ofDays(1))
                      .database(slow("one", database, LONG, both))
                      .database(slow("two", database, LONG, both)))) {
        assertThat(site.get("/databases").each("", "health")).containsExactly("OK", "OK", "OK");
      }
    }
  }

  @Test
  void databasesThatNeverAnswerAreDownAndDelayNoOther() {
    try (TestDatabase database = TestDatabase.create(Product.H2)) {
      new SampleQueue(database.dataSource());
      int connectionsOfOneLook = connectionsOfOneLook(database);
      CountDownLatch all = new CountDownLatch(OTHERS);
      CountDownLatch end = new CountDownLatch(1);
      List<AtomicInteger> others = Stream.generate(AtomicInteger::new).limit(OTHERS).toList();
      try (Site site =
          Site.start(
              it -> {
                it.sampling(Duration.ofDays(1))
                    .database(silent("silent", database, Duration.ofSeconds(1), end));
                for (AtomicInteger connections : others) {
                  String name = "other" + others.indexOf(connections);
                  it.database(LateDatabase.of(name, database, LONG, together(all, connections)));
                }
                return it;
              })) {
        assertThat(site.get("/databases").each("", "health"))
            .containsExactly("OK", "UNHEALTHY", "OK", "OK", "OK", "OK");
        assertThat(others)
            .as("looked at once, and not again after the wait for the silent one")
            .extracting(AtomicInteger::get)
            .containsOnly(connectionsOfOneLook);
        assertThat(site.get("/health").value("/reasons/0")).startsWith("silent: ");
        assertThat(site.get("/health?db=main").status()).isEqualTo(200);
        assertThat(site.get("/overview?db=silent").status()).isEqualTo(503);
        end.countDown();
      }
    }
  }

  @Test
  void theLastFiguresOfADatabaseThatDoesNotAnswerAreSaidToBeOld() {
    CountDownLatch end = new CountDownLatch(1);
    AtomicBoolean away = new AtomicBoolean();
    try (TestDatabase database = TestDatabase.create(Product.H2)) {
      new SampleQueue(database.dataSource());
      LateDatabase.Wait wait =
          () -> {
            if (away.get()) {
              end.await();
            }
          };
      OperatedDatabase late = LateDatabase.of("late", database, Duration.ofSeconds(1), wait);
      try (Site site = Site.start(it -> it.sampling(Duration.ofDays(1)).database(late))) {
        assertThat(error(site.get("/databases"))).isNull();
        assertThat(site.get("/databases").json().at("/1/ageMs").isNumber()).isTrue();
        away.set(true);

        await()
            .atMost(LONG)
            .until(() -> "the database does not answer".equals(error(site.get("/databases"))));

        Reply old = site.get("/databases");
        assertThat(old.value("/1/product")).isEqualTo("H2");
        assertThat(old.json().at("/1/ageMs").asLong()).isGreaterThan(1_000);
        assertThat(old.value("/0/error")).isNull();
      } finally {
        end.countDown();
      }
    }
  }

  private static @Nullable String error(Reply databases) {
    return databases.value("/1/error");
  }

  private static int connectionsOfOneLook(TestDatabase database) {
    AtomicInteger connections = new AtomicInteger();
    OperatedDatabase alone = LateDatabase.of("alone", database, LONG, connections::incrementAndGet);
    try (Site site = Site.start(it -> it.sampling(Duration.ofDays(1)).database(alone))) {
      assertThat(site.get("/health?db=alone").status()).isEqualTo(200);
    }
    return connections.get();
  }

  /** Counts the connections, of which the first of each database waits for those of the others. */
  private static LateDatabase.Wait together(CountDownLatch all, AtomicInteger connections) {
    return () -> {
      if (connections.incrementAndGet() == 1) {
        all.countDown();
        all.await();
      }
    };
  }

  @Test
  void aDatabaseOfAProductThatIsNotKnownIsUnhealthyAndTheOthersAreShown() {
    try (TestDatabase database = TestDatabase.create(Product.H2);
        Site site =
            Site.start(
                it ->
                    it.prometheus()
                        .database(
                            OperatedDatabase.builder("strange", unknown(database)).build()))) {
      assertThat(site.get("/databases").each("", "health")).containsExactly("OK", "UNHEALTHY");
      assertThat(site.get("/databases").value("/1/error")).contains("cannot be looked at");
      assertThat(site.get("/health").status()).isEqualTo(503);
      assertThat(site.get("/metrics").status()).isEqualTo(200);
      assertThat(site.get("/metrics/prometheus").text())
          .contains("outbox_up{database=\"main\"} 1\n", "outbox_up{database=\"strange\"} 0\n");
    }
  }

  private static DataSource unknown(TestDatabase database) {
    return changed(
        DataSource.class,
        database.dataSource(),
        Map.of("getConnection", it -> changed(Connection.class, it, NO_PRODUCT)));
  }

  private static final Map<String, UnaryOperator<Object>> NO_PRODUCT =
      Map.of(
          "getMetaData",
          it ->
              changed(
                  DatabaseMetaData.class, it, Map.of("getDatabaseProductName", name -> "Nemo")));

  /** The same object, but for the results of some methods. */
  private static <T> T changed(
      Class<T> type, Object original, Map<String, UnaryOperator<Object>> changes) {
    return type.cast(
        Proxy.newProxyInstance(
            StateApiTest.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              Object result = method.invoke(original, arguments);
              return changes.getOrDefault(method.getName(), it -> it).apply(result);
            }));
  }

  /** One that answers when so many have asked at the same time. */
  private static OperatedDatabase slow(
      String name, TestDatabase database, Duration timeLimit, CountDownLatch asked) {
    return LateDatabase.of(
        name,
        database,
        timeLimit,
        () -> {
          asked.countDown();
          asked.await();
        });
  }

  private static OperatedDatabase silent(
      String name, TestDatabase database, Duration timeLimit, CountDownLatch end) {
    return LateDatabase.of(name, database, timeLimit, end::await);
  }

  @Test
  void deadLettersOfTheInboxCountForHealth() {
    try (Site site = Site.start()) {
      site.queue().receiveDead("shop", "m-1", "boom");

      await().atMost(LONG).until(() -> "DEGRADED".equals(site.get("/health").value("/status")));
      assertThat(site.get("/health").value("/reasons/0")).startsWith("inbox: 1 dead letter (");
    }
  }

  @Test
  void aDatabaseWithAnInboxOnlyHasAnOverviewAndNoNodes() {
    try (TestDatabase database = TestDatabase.create(Product.H2)) {
      InboxSchema.of(database.dataSource()).deploy();
      OperatedDatabase inboxOnly = OperatedDatabase.builder("inbox", database.dataSource()).build();
      try (Site site = Site.start(it -> it.database(inboxOnly))) {
        assertThat(site.get("/nodes?db=inbox").text()).isEqualTo("[]");
        assertThat(site.get("/overview?db=inbox").status()).isEqualTo(200);
        assertThat(site.get("/health?db=inbox").status()).isEqualTo(200);
      }
    }
  }

  @Test
  void aDatabaseWithoutTablesIsUnhealthyAndSaysWhy() {
    try (TestDatabase database = TestDatabase.create(Product.H2)) {
      OperatedDatabase empty = OperatedDatabase.builder("empty", database.dataSource()).build();
      try (Site site = Site.start(it -> it.database(empty))) {
        assertThat(site.get("/health?db=empty").value("/reasons/0"))
            .isEqualTo("the database has none of the tables");
        assertThat(site.get("/overview?db=empty").status()).isEqualTo(503);
        assertThat(site.get("/databases").value("/1/error")).contains("none of the tables");
      }
    }
  }

  @Test
  void theOverviewHasFiguresGroupsAndAHistory() {
    try (Site site = Site.start(settings -> settings.sampling(Duration.ofMillis(100)))) {
      site.queue().dead("order", "boom", event -> event.tenantId("acme").payloadJson("{}"));

      await().atMost(LONG).until(() -> site.get("/overview").json().at("/series").size() > 2);
      await().atMost(LONG).until(() -> "1".equals(overview(site, "/snapshot/dead/value")));
      assertThat(overview(site, "/health/status")).isEqualTo("DEGRADED");
      assertThat(overview(site, "/topics/0/topic")).isEqualTo("order");
      assertThat(overview(site, "/tenants/0/tenant")).isEqualTo("acme");
      assertThat(overview(site, "/series/0/at")).isNotNull();
    }
  }

  @Test
  void ofManyTopicsTheWorstFiftyAreShown() {
    try (Site site = Site.start()) {
      for (int i = 0; i < 51; i++) {
        site.queue().pending("quiet." + i);
      }
      site.queue().dead("worst", "boom");
      await().atMost(LONG).until(() -> "51".equals(figure(site, "backlog")));

      assertThat(site.get("/overview").each("/topics", "topic")).hasSize(50).contains("worst");
      assertThat(site.get("/metrics").each("/databases/0/topics", "topic"))
          .hasSize(50)
          .contains("worst");
    }
  }

  @Test
  void nodesAreThoseWhoHoldLeases() {
    try (Site site = Site.start()) {
      site.queue().leased("order");

      Reply reply = site.get("/nodes");

      assertThat(reply.value("/0/leases")).isEqualTo("1");
      assertThat(reply.value("/0/nextExpiry")).isNotNull();
    }
  }

  @Test
  void severalDatabasesAreToldApartByName() {
    try (Site site = Site.startWithTwo()) {
      site.queue().pending("here");

      assertThat(site.get("/databases").each("", "name")).containsExactly("main", "other1");
      assertThat(site.get("?db=main").each("/items", "topic")).containsExactly("here");
      assertThat(site.get("?db=other1").each("/items", "topic")).containsExactly("elsewhere");
      assertThat(site.get("").status()).isEqualTo(400);
      assertThat(site.get("").value("/detail")).contains("main, other1");
      assertThat(site.get("?db=none").value("/field")).isEqualTo("db");
      assertThat(site.get("/health").status()).isEqualTo(200);
      assertThat(site.get("/metrics").each("/databases", "name")).containsExactly("main", "other1");
    }
  }

  private static UnaryOperator<AdminConfig.Builder> with(HealthThresholds thresholds) {
    return settings -> settings.thresholds(thresholds);
  }

  private static @Nullable String figure(Site site, String name) {
    return site.get("/metrics").value("/databases/0/snapshot/" + name + "/value");
  }

  private static @Nullable String overview(Site site, String pointer) {
    return site.get("/overview").value(pointer);
  }
}
