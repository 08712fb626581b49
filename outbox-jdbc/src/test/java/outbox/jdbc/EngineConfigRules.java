package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import outbox.OutboxConfig;
import outbox.contracts.support.CountingMetrics;
import outbox.contracts.support.Spec;

/** Each part of an engine follows the configuration that the builder was given. */
abstract class EngineConfigRules<B extends EngineSettings<B>> extends EngineUnderTest<B> {
  /** The network timeout of the check at the start, which no option changes. */
  private static final int CHECK_TIMEOUT = 10_000;

  EngineConfigRules(Defaults defaults) {
    super(defaults);
  }

  @Test
  @Spec({"OBX-058", "OBX-059"})
  void workQueueHasTheLimitsOfTheConfiguration() {
    OutboxConfig off = new OutboxConfig().setPollerEnabled(false);
    assertThat(statusAfterAbandon(off)).isEqualTo(2);
    assertThat(statusAfterThreeExpiries(off)).isEqualTo(0);
    off.setRetryMaxAttempts(1).setMaxLeaseExpiries(2);
    assertThat(statusAfterAbandon(off)).isEqualTo(3);
    assertThat(statusAfterThreeExpiries(off)).isEqualTo(3);
  }

  private int statusAfterAbandon(OutboxConfig config) {
    Engine engine = started(created().config(config));
    engine.send("topic");
    engine.claim().run();
    return statusAndClear();
  }

  private int statusAfterThreeExpiries(OutboxConfig config) {
    Engine engine = started(created().config(config));
    engine.send("topic");
    for (int i = 0; i <= 3; i++) {
      engine.claim();
      database.execute(
          "UPDATE "
              + defaults.table()
              + " SET available_at = DATEADD('HOUR', -1, CURRENT_TIMESTAMP)");
    }
    return statusAndClear();
  }

  private int statusAndClear() {
    int status = number("SELECT status FROM " + defaults.table());
    clear();
    return status;
  }

  @Test
  @Spec({"FRM-62", "FRM-79", "OBXU-05", "IDEM-33"})
  void pollerClaimsBatchesOfTheConfiguredSize() {
    int usual = defaults.batchSize();
    assertThat(batchOf(usual + 10, created())).isEqualTo(usual);
    OutboxConfig other = new OutboxConfig().setDispatcherWorkers(2);
    assertThat(batchOf(usual + 10, created().config(other))).isEqualTo(usual);
    assertThat(batchOf(30, created().config(other.setPollerBatchSize(7)))).isEqualTo(7);
  }

  /** How many messages one statement claims: those with the same owner. */
  private int batchOf(int messages, B builder) {
    Engine producer = started(created().config(new OutboxConfig().setPollerEnabled(false)));
    for (int i = 0; i < messages; i++) {
      producer.send("topic");
    }
    CountDownLatch release = new CountDownLatch(1);
    Engine engine = started(handling(builder, "topic", headers -> release.await()));
    closing(release::countDown);
    until(() -> count("owner_token IS NOT NULL") == messages);
    int largest =
        number(
            "SELECT MAX(size) FROM (SELECT COUNT(*) AS size FROM "
                + defaults.table()
                + " GROUP BY owner_token)");
    release.countDown();
    engine.close();
    clear();
    return largest;
  }

  @Test
  @Spec({"FRM-62", "FRM-64", "FRM-79", "IDEM-32"})
  void pollerOfAShortIntervalLooksOften() {
    CountingMetrics looks = new CountingMetrics();
    OutboxConfig often = new OutboxConfig().setPollerIntervalMs(20);
    started(handling(created().config(often).metrics(looks)));
    until(() -> looks.depthReports() > 30);
  }

  @Test
  @Spec("FRM-79")
  void nothingIsLookedForWhilePollingIsOff() {
    OutboxConfig off = new OutboxConfig().setPollerEnabled(false);
    List<Map<String, String>> handledHere = new CopyOnWriteArrayList<>();
    started(handling(created().config(off), "topic", handledHere::add));
    started(created().config(off)).send("topic");
    started(handling(created()));
    until(() -> handled.size() == 1);
    assertThat(handledHere).isEmpty();
  }

  @Test
  void connectionsHaveTheNetworkTimeoutOfTheConfiguration() {
    OutboxConfig seven = new OutboxConfig().setNetworkTimeout(Duration.ofSeconds(7));
    assertThat(networkTimeouts(builder -> builder))
        .containsOnly((int) defaults.networkTimeout().toMillis());
    assertThat(networkTimeouts(builder -> builder.config(seven))).containsOnly(7_000);
  }

  /** Those of an engine that handles and removes a message. */
  private Set<Integer> networkTimeouts(UnaryOperator<B> setting) {
    TimedConnections timed = new TimedConnections(database.dataSource());
    B builder = on(timed.dataSource()).createSchema().retention(briefly());
    Engine engine = started(handling(setting.apply(builder)));
    int before = handled.size();
    engine.send("topic");
    until(() -> handled.size() > before && count("TRUE") == 0);
    engine.close();
    return besideTheCheck(timed);
  }

  private static Set<Integer> besideTheCheck(TimedConnections timed) {
    return timed.timeouts().stream()
        .filter(timeout -> timeout != CHECK_TIMEOUT)
        .collect(Collectors.toSet());
  }

  /** The housekeeper, which gets no connection, makes a close wait. */
  @Test
  void closeTakesNoLongerThanConfigured() {
    Semaphore blocked = new Semaphore(0);
    Semaphore release = new Semaphore(0);
    DataSource blocking =
        (DataSource)
            Proxy.newProxyInstance(
                DataSource.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                  if (Thread.currentThread().getName().equals("outbox-housekeeper")) {
                    blocked.release();
                    release.acquireUninterruptibly();
                  }
                  return method.invoke(database.dataSource(), arguments);
                });
    Engine engine =
        started(
            on(blocking)
                .createSchema()
                .retention(briefly())
                .config(new OutboxConfig().setCloseTimeout(Duration.ofMillis(100))));
    closing(() -> release.release(1000));
    until(() -> blocked.availablePermits() > 0);

    long begin = System.nanoTime();
    engine.close();
    assertThat(Duration.ofNanos(System.nanoTime() - begin))
        .as("by default it waits for 5 s")
        .isLessThan(Duration.ofSeconds(4));
  }
}
