package outbox.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.admin.data.OperatedDatabase;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;
import outbox.model.OwnerToken;

class QueueGaugesTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final AtomicInteger connections = new AtomicInteger();
  private volatile boolean down;
  private DataSource dataSource;
  private Outbox queue;
  private @Nullable QueueGauges gauges;

  @BeforeEach
  void createTables(TestInfo test) {
    String name = test.getTestMethod().orElseThrow().getName();
    dataSource = counted("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1");
    OutboxSchema.of(dataSource).deploy();
    queue =
        OutboxBuilder.of(new DataSourceConnectionProvider(dataSource), new JdbcOutboxRepository())
            .build();
  }

  @AfterEach
  void dropTables() throws SQLException {
    closeGauges();
    down = false;
    try (Connection connection = dataSource.getConnection()) {
      connection.createStatement().execute("SHUTDOWN");
    }
  }

  @Test
  void showsWhatTheTableHasByQueueAndTopic() {
    queue.enqueue(EventEnvelope.ofJson("paid", "{}"));
    queue.enqueue(EventEnvelope.ofJson("paid", "{}"));
    queue.enqueue(
        EventEnvelope.builder("sent")
            .payloadJson("{}")
            .dueAt(Instant.now().plus(Duration.ofHours(1)))
            .build());
    OwnerToken owner = OwnerToken.random();
    queue.claim(owner, LIMIT, 1);

    start(it -> it.interval(Duration.ofMillis(20)));
    awaitValue("outbox.backlog", 2);
    assertThat(value("outbox.scheduled")).isEqualTo(1);
    assertThat(value("outbox.leased")).isEqualTo(1);
    assertThat(value("outbox.dead")).isZero();
    assertThat(value("outbox.failed.pending")).isZero();
    assertThat(value("outbox.up")).isOne();
    assertThat(registry.get("outbox.oldest.age").timeGauge().value(TimeUnit.SECONDS))
        .isBetween(0.0, 60.0);
    assertThat(topic("outbox.topic.backlog", "paid")).isEqualTo(2);
    assertThat(topic("outbox.topic.scheduled", "sent")).isEqualTo(1);
    assertThat(topic("outbox.topic.dead", "paid")).isZero();

    queue.claim(owner, LIMIT, 1).forEach(it -> queue.fail(owner, java.util.List.of(it.id()), "x"));

    awaitValue("outbox.dead", 1);
    assertThat(topic("outbox.topic.dead", "paid")).isOne();

    closeGauges();

    assertThat(registry.getMeters()).as("after the end").isEmpty();
  }

  @Test
  void anInboxHasGaugesOnceItHasATable() {
    start(it -> it.interval(Duration.ofMillis(20)));
    awaitValue("outbox.backlog", 0);
    assertThat(registry.find("outbox.backlog").tag("queue", "inbox").gauge()).isNull();
    closeGauges();
    InboxSchema.of(dataSource).deploy();

    start(it -> it);
    await()
        .atMost(LIMIT)
        .until(() -> registry.find("outbox.backlog").tag("queue", "inbox").gauge() != null);
  }

  @Test
  void readingAsksNoDatabase() {
    start(it -> it.interval(Duration.ofHours(1)));
    awaitValue("outbox.backlog", 0);
    int before = connections.get();
    for (int i = 0; i < 1000; i++) {
      registry.getMeters().forEach(Meter::measure);
    }
    assertThat(connections).hasValue(before);
  }

  @Test
  void aDatabaseThatDoesNotAnswerShowsAsDownAndItsFiguresEnd() {
    queue.enqueue(EventEnvelope.ofJson("paid", "{}"));
    start(it -> it.interval(Duration.ofMillis(50)));
    awaitValue("outbox.backlog", 1);

    down = true;

    await().atMost(LIMIT).until(() -> value("outbox.up") == 0);
    await().atMost(LIMIT).until(() -> Double.isNaN(value("outbox.backlog")));

    down = false;

    awaitValue("outbox.backlog", 1);
    assertThat(value("outbox.up")).isOne();
  }

  @Test
  void topicsBeyondTheLimitAreSummedUp() {
    for (String topic : new String[] {"a", "b", "c"}) {
      queue.enqueue(EventEnvelope.ofJson(topic, "{}"));
    }
    start(it -> it.maxTopics(1));
    awaitValue("outbox.backlog", 3);
    await().atMost(LIMIT).until(() -> topic("outbox.topic.backlog", "(other)") == 2);
    assertThat(registry.find("outbox.topic.backlog").gauges()).hasSize(2);
  }

  @Test
  void everyGaugeHasTheTags() {
    start(it -> it.tag("region", "eu"));
    awaitValue("outbox.backlog", 0);
    assertThat(registry.getMeters())
        .isNotEmpty()
        .allSatisfy(meter -> assertThat(meter.getId().getTag("region")).isEqualTo("eu"))
        .allSatisfy(meter -> assertThat(meter.getId().getTag("database")).isEqualTo("main"));
  }

  @Test
  void theExampleOfTheDocumentsShowsTheBacklog() {
    // region queue-gauges
    QueueGauges gauges =
        QueueGauges.builder(registry)
            .database(OperatedDatabase.builder("main", dataSource).build())
            .start();
    // endregion
    awaitValue("outbox.backlog", 0);
    assertThat(gauges.backlog("outbox")).hasValue(0);
    assertThat(gauges.backlog("inbox")).isEmpty();
    assertThat(gauges.interval()).isEqualTo(QueueGauges.DEFAULT_INTERVAL);
    gauges.close();
  }

  @Test
  void refusesSettingsThatMakeNoSense() {
    QueueGauges.Builder builder = QueueGauges.builder(registry);
    assertThatThrownBy(() -> builder.interval(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("interval (PT0S) must be positive");
    assertThatThrownBy(() -> builder.maxTopics(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxTopics (-1) must not be negative");
  }

  private void start(UnaryOperator<QueueGauges.Builder> settings) {
    OperatedDatabase database = OperatedDatabase.builder("main", dataSource).build();
    gauges = settings.apply(QueueGauges.builder(registry).database(database)).start();
  }

  private void closeGauges() {
    if (gauges != null) {
      gauges.close();
    }
  }

  private void awaitValue(String name, double expected) {
    await()
        .atMost(LIMIT)
        .until(
            () ->
                registry.find(name).tag("queue", "outbox").gauge() != null
                    && value(name) == expected);
  }

  private double value(String name) {
    return Objects.requireNonNull(registry.find(name).tag("queue", "outbox").gauge()).value();
  }

  private double topic(String name, String topic) {
    var gauge = registry.find(name).tag("topic", topic).gauge();
    return gauge == null ? Double.NaN : gauge.value();
  }

  /** An H2 that counts its connections and can be away. */
  private DataSource counted(String url) {
    JdbcDataSource database = new JdbcDataSource();
    database.setURL(url);
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              connections.incrementAndGet();
              if (down) {
                throw new SQLException("connection refused", "08001");
              }
              return method.invoke(database, arguments);
            });
  }
}
