package outbox.spring.boot;

import static outbox.spring.boot.Looks.config;
import static outbox.spring.boot.Looks.inbox;
import static outbox.spring.boot.Looks.outbox;
import static outbox.spring.boot.PropertyTable.Start.LEAN;
import static outbox.spring.boot.PropertyTable.Start.NOTIFYING;
import static outbox.spring.boot.PropertyTable.Start.OFF;
import static outbox.spring.boot.PropertyTable.Start.OTHER;
import static outbox.spring.boot.PropertyTable.Start.TABLELESS;
import static outbox.spring.boot.PropertyTable.Start.TWO;
import static outbox.spring.boot.PropertyTable.Start.USUAL;

import java.io.EOFException;
import java.io.NotSerializableException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import outbox.OutboxConfig;
import outbox.Retention;
import outbox.admin.AdminConfig;
import outbox.admin.metrics.HealthThresholds;
import outbox.micrometer.QueueGauges;

/**
 * Each property with another value than its default, what shows its effect in a running
 * application, and what is seen there without and with the value.
 */
final class PropertyTable {
  private static final String ORDERS = "order.placed";
  private static final List<Integer> NOT_FOUND = List.of(404, 404);

  private PropertyTable() {}

  /** Applications, each of which is started once, with the settings of all its rows. */
  enum Start {
    /** Without any property. */
    BARE(WiredApplication.Shop.class),
    /** With the dashboard, and all else by default. */
    USUAL(WiredApplication.Shop.class),
    /** With all that goes together. */
    OTHER(WiredApplication.Shop.class),
    /** With what excludes something of the former. */
    LEAN(WiredApplication.Shop.class),
    TWO(WiredApplication.TwoDatabases.class),
    OFF(WiredApplication.Shop.class),
    NOTIFYING(WiredApplication.Shop.class),
    TABLELESS(WiredApplication.Shop.class);

    final Class<?> type;

    Start(Class<?> type) {
      this.type = type;
    }

    List<String> settings() {
      Set<String> settings = new LinkedHashSet<>();
      if (this == LEAN) {
        settings.add("outbox.admin.health-endpoint.path=/probe");
        settings.add("outbox.admin.metrics-endpoint.path=/figures");
        settings.add("outbox.admin.rates=table");
      }
      settings.add("server.port=0");
      settings.add("spring.datasource.generate-unique-name=true");
      if (this == OTHER || this == LEAN || this == USUAL) {
        settings.add("outbox.admin.admin-tokens.root=" + WiredApplication.ROOT);
        settings.add("outbox.admin.enabled=true");
      }
      ROWS.stream().filter(row -> row.start == this).forEach(row -> settings.add(row.setting));
      return List.copyOf(settings);
    }
  }

  /** What can be seen of an application from outside. */
  @FunctionalInterface
  interface Look {
    Object at(WiredApplication application);
  }

  /**
   * One property.
   *
   * @param documented its default in the documentation, if the metadata have none
   */
  record Row(
      String setting, String documented, Start start, Look look, Object usual, Object other) {

    String property() {
      return setting.replaceFirst("[\\[=].*", "");
    }

    /** The application that has the default. */
    Start without() {
      return property().equals("outbox.admin.enabled") ? Start.BARE : USUAL;
    }

    @Override
    public String toString() {
      return setting;
    }
  }

  private static Row row(String setting, Start start, Look look, Object usual, Object other) {
    return new Row(setting, "", start, look, usual, other);
  }

  private static Row row(
      String setting, String documented, Start start, Look look, Object usual, Object other) {
    return new Row(setting, documented, start, look, usual, other);
  }

  static final List<Row> ROWS = rows();

  private static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    rows.addAll(queue());
    rows.addAll(engine());
    rows.addAll(topics());
    rows.addAll(pace());
    rows.addAll(admin());
    rows.addAll(limits());
    return List.copyOf(rows);
  }

  private static List<Row> queue() {
    return List.of(
        row("outbox.enabled=false", OFF, Looks::outboxes, 1, 0),
        row(
            "outbox.datasource=second",
            "the only or primary one",
            TWO,
            Looks::databasesWithEvents,
            List.of("dataSource"),
            List.of("second")),
        row(
            "outbox.transaction-manager=otherOfSecond",
            "that of the data source",
            TWO,
            Looks::managerOfListeners,
            "the only one",
            "otherOfSecond"),
        row("outbox.schema.initialize=never", TABLELESS, Looks::missingTable, false, true),
        row("outbox.table=shop_event", OTHER, Looks::tableOfEvents, "outbox_event", "shop_event"),
        row("outbox.delete-when-done=true", LEAN, Looks::afterItsEnd, "kept", "deleted"),
        row(
            "outbox.max-error-text-length=100",
            OTHER,
            app -> Looks.failure(app).length(),
            List.of(4000, 4000),
            List.of(100, 100)),
        row(
            "outbox.node=shop-1",
            "`pid` and the process id",
            OTHER,
            Looks::nodes,
            List.of("pid" + ProcessHandle.current().pid(), "pid" + ProcessHandle.current().pid()),
            List.of("shop-1", "shop-1")),
        row("outbox.notify-nodes=true", NOTIFYING, Looks::wantsPostgres, false, true),
        row(
            "outbox.application-events=true",
            "not set",
            OTHER,
            Looks::applicationEvent,
            "refused",
            "stored"),
        row(
            "outbox.application-events=false",
            "not set",
            LEAN,
            Looks::applicationEvent,
            "refused",
            "inside"),
        row("outbox.joins.enabled=false", LEAN, Looks::joins, "outbox_join", "none"),
        row("outbox.joins.table=shop_join", OTHER, Looks::joins, "outbox_join", "shop_join"),
        row("outbox.joins.wait-topic=fan.wait", OTHER, Looks::waitTopic, "join.wait", "fan.wait"),
        row(
            "outbox.retention.completed=11d",
            OTHER,
            outbox(Retention::completed),
            Duration.ofDays(7),
            Duration.ofDays(11)),
        row(
            "outbox.retention.dead=12d",
            "for ever",
            OTHER,
            outbox(Retention::dead),
            "for ever",
            Duration.ofDays(12)),
        row(
            "outbox.retention.joins=13d",
            "for ever",
            OTHER,
            outbox(Retention::joins),
            "for ever",
            Duration.ofDays(13)),
        row(
            "outbox.inbox.table=shop_inbox",
            OTHER,
            Looks::tableOfMessages,
            "outbox_inbox",
            "shop_inbox"),
        row(
            "outbox.inbox.payload-retention=14d",
            OTHER,
            inbox(Retention::payloads),
            Duration.ofDays(7),
            Duration.ofDays(14)),
        row(
            "outbox.inbox.dedup-window=15d",
            OTHER,
            inbox(Retention::completed),
            Duration.ofDays(30),
            Duration.ofDays(15)),
        row(
            "outbox.metrics.max-topics=1",
            OTHER,
            Looks::topicsOfMeters,
            List.of("one", "two"),
            List.of("one", "other")),
        row(
            "outbox.metrics.interval=20s",
            OTHER,
            app -> app.bean(QueueGauges.class).interval(),
            Duration.ofSeconds(10),
            Duration.ofSeconds(20)));
  }

  private static List<Row> pace() {
    return List.of(
        row("outbox.retention.keep-forever=true", LEAN, Looks::keptForever, false, true),
        row(
            "outbox.retention.interval=91s",
            OTHER,
            Looks.both(Retention::interval),
            Duration.ofMinutes(1),
            Duration.ofSeconds(91)),
        row("outbox.retention.batch-size=92", OTHER, Looks.both(Retention::batchSize), 500, 92),
        row(
            "outbox.retention.pause=93ms",
            OTHER,
            Looks.both(Retention::pause),
            Duration.ofMillis(20),
            Duration.ofMillis(93)),
        row(
            "outbox.inbox.dead-retention=94d",
            "for ever",
            OTHER,
            inbox(Retention::dead),
            "for ever",
            Duration.ofDays(94)),
        row("outbox.inbox.keep-forever=true", LEAN, Looks::messagesKeptForever, false, true),
        row("outbox.inbox.max-payload-size=95KB", OTHER, Looks::largestMessage, 1 << 20, 95 << 10),
        row(
            "outbox.inbox.base-delay=96ms",
            OTHER,
            app -> Looks.delayOfMessages(app, 1),
            2_000L,
            96L),
        row(
            "outbox.inbox.max-delay=97s",
            LEAN,
            app -> Looks.delayOfMessages(app, 30),
            60_000L,
            97_000L),
        row("outbox.store-name=shop", "", OTHER, Looks::storeNames, "none", "shop"));
  }

  private static List<Row> engine() {
    return List.of(
        row("outbox.dispatcher.workers=7", OTHER, config(OutboxConfig::getDispatcherWorkers), 4, 7),
        row(
            "outbox.dispatcher.lease-duration=41s",
            OTHER,
            config(OutboxConfig::getLeaseDuration),
            Duration.ofSeconds(30),
            Duration.ofSeconds(41)),
        row(
            "outbox.dispatcher.max-handling-time=42s",
            OTHER,
            config(OutboxConfig::getMaxHandlingTime),
            Duration.ofMinutes(10),
            Duration.ofSeconds(42)),
        row(
            "outbox.dispatcher.drain-timeout=4s",
            OTHER,
            config(OutboxConfig::getDrainTimeout),
            Duration.ofSeconds(10),
            Duration.ofSeconds(4)),
        row(
            "outbox.dispatcher.close-timeout=6s",
            OTHER,
            config(OutboxConfig::getCloseTimeout),
            Duration.ofSeconds(3),
            Duration.ofSeconds(6)),
        row(
            "outbox.dispatcher.hot-queue-capacity=51",
            OTHER,
            config(OutboxConfig::getHotQueueCapacity),
            1000,
            51),
        row(
            "outbox.dispatcher.cold-queue-capacity=52",
            OTHER,
            config(OutboxConfig::getColdQueueCapacity),
            1000,
            52),
        row(
            "outbox.dispatcher.hot-queue-size=53MB",
            OTHER,
            config(OutboxConfig::getHotQueueBytes),
            64L << 20,
            53L << 20),
        row(
            "outbox.dispatcher.cold-queue-size=54MB",
            OTHER,
            config(OutboxConfig::getColdQueueBytes),
            64L << 20,
            54L << 20),
        row(
            "outbox.dispatcher.flush-interval=55ms",
            OTHER,
            config(OutboxConfig::getFlushInterval),
            Duration.ofMillis(50),
            Duration.ofMillis(55)),
        row(
            "outbox.dispatcher.flush-batch-size=56",
            OTHER,
            config(OutboxConfig::getFlushBatchSize),
            500,
            56),
        row(
            "outbox.dispatcher.max-lease-expiries=57",
            OTHER,
            config(OutboxConfig::getMaxLeaseExpiries),
            3,
            57),
        row(
            "outbox.dispatcher.network-timeout=44s",
            OTHER,
            config(OutboxConfig::getNetworkTimeout),
            Duration.ofSeconds(30),
            Duration.ofSeconds(44)),
        row(
            "outbox.dispatcher.unhandled-delay=45s",
            OTHER,
            config(OutboxConfig::getUnhandledDelay),
            Duration.ofSeconds(2),
            Duration.ofSeconds(45)),
        row(
            "outbox.dispatcher.unhandled-max-age=46s",
            OTHER,
            config(OutboxConfig::getUnhandledMaxAge),
            Duration.ofDays(1),
            Duration.ofSeconds(46)),
        row(
            "outbox.poller.enabled=false",
            LEAN,
            config(OutboxConfig::isPollerEnabled),
            true,
            false),
        row(
            "outbox.poller.interval=611ms",
            OTHER,
            config(OutboxConfig::getPollerIntervalMs),
            5000L,
            611L),
        row(
            "outbox.poller.batch-size=62",
            "`200` (`50` for the inbox)",
            OTHER,
            config(OutboxConfig::getPollerBatchSize),
            List.of(200, 50),
            62),
        row(
            "outbox.poller.skip-recent=63ms",
            OTHER,
            config(OutboxConfig::getPollerSkipRecentMs),
            1000L,
            63L),
        row(
            "outbox.retry.max-attempts=1",
            OTHER,
            app -> Looks.failure(app).ended(),
            List.of(false, false),
            List.of(true, true)),
        row(
            "outbox.retry.base-delay=71ms",
            OTHER,
            config(OutboxConfig::getRetryBaseDelayMs),
            200L,
            71L),
        row(
            "outbox.retry.max-delay=72ms",
            OTHER,
            config(OutboxConfig::getRetryMaxDelayMs),
            60_000L,
            72L),
        row(
            "outbox.retry.use-exponential-backoff=false",
            OTHER,
            config(OutboxConfig::isUseExponentialBackoff),
            true,
            false),
        row(
            "outbox.retry.unreadable-payloads=false",
            OTHER,
            config(OutboxConfig::isRetryUnreadablePayloads),
            true,
            false),
        row(
            "outbox.retry.max-age=73s",
            "no limit",
            OTHER,
            app -> Looks.retries(app, "maxAge"),
            "none",
            Duration.ofSeconds(73)),
        row(
            "outbox.retry.jitter=0.25",
            "`0.5` (`0` for the inbox)",
            OTHER,
            app -> Looks.retries(app, "jitter"),
            "none",
            0.25),
        row(
            "outbox.retry.never=java.io.EOFException",
            "",
            OTHER,
            app -> Looks.isRetried(app, EOFException.class),
            "none",
            false),
        row(
            "outbox.retry.always=java.net.ConnectException",
            "",
            OTHER,
            app -> Looks.isRetried(app, ConnectException.class),
            "none",
            true));
  }

  private static List<Row> topics() {
    return List.of(
        topic("max-attempts=3", app -> Looks.retries(app, ORDERS, "maxAttempts"), 3),
        topic("max-age=4h", app -> Looks.retries(app, ORDERS, "maxAge"), Duration.ofHours(4)),
        topic("base-delay=101ms", app -> Looks.delay(app, ORDERS, 1), 101L),
        topic("max-delay=102ms", app -> Looks.delay(app, ORDERS, 9), 102L),
        topic("use-exponential-backoff=true", app -> Looks.delay(app, ORDERS, 2), 102L),
        topic("jitter=0", app -> Looks.retries(app, ORDERS, "jitter"), 0.0),
        row(
            "outbox.topics[order.placed].max-handling-time=43s",
            "",
            OTHER,
            config(config -> config.getMaxHandlingTime(ORDERS)),
            Duration.ofMinutes(10),
            Duration.ofSeconds(43)),
        topic(
            "never-retry=java.io.NotSerializableException",
            app -> Looks.isRetried(app, ORDERS, NotSerializableException.class),
            false),
        topic(
            "always-retry=java.net.NoRouteToHostException",
            app -> Looks.isRetried(app, ORDERS, NoRouteToHostException.class),
            true));
  }

  private static Row topic(String setting, Look look, Object other) {
    return row("outbox.topics[" + ORDERS + "]." + setting, "", OTHER, look, "none", other);
  }

  private static List<Row> admin() {
    return List.of(
        row("outbox.admin.enabled=true", USUAL, app -> app.api("/session").statusCode(), 404, 200),
        row("outbox.admin.path=/ops", OTHER, Looks::page, "/outbox", "/ops"),
        row(
            "outbox.admin.api-path=/ops-api",
            OTHER,
            Looks::apiPath,
            AdminConfig.DEFAULT_API_PATH,
            "/ops-api"),
        row(
            "outbox.admin.read-tokens[rita]=reader-token-0123456789",
            "",
            OTHER,
            app -> Looks.caller(app, "Authorization", "Bearer reader-token-0123456789"),
            "401",
            "rita reads"),
        row(
            "outbox.admin.admin-tokens[alan]=admins-token-0123456789",
            "",
            OTHER,
            app -> Looks.caller(app, "Authorization", "Bearer admins-token-0123456789"),
            "401",
            "alan writes"),
        row(
            "outbox.admin.read-role=clerk",
            "",
            OTHER,
            app -> Looks.caller(app, "X-Role", "clerk"),
            "401",
            "clerk reads"),
        row(
            "outbox.admin.admin-role=boss",
            "",
            OTHER,
            app -> Looks.caller(app, "X-Role", "boss"),
            "401",
            "boss writes"),
        row("outbox.admin.anonymous-read=true", OTHER, Looks::caller, "401", "anonymous reads"),
        row("outbox.admin.payloads-for=read", "no role", OTHER, Looks::payload, 403, 200),
        row(
            "outbox.admin.allowed-origins=https://proxy.example",
            "",
            OTHER,
            app -> Looks.actsFrom(app, "https://proxy.example"),
            false,
            true),
        row(
            "outbox.admin.allowed-hosts=ops.example",
            "every host",
            OTHER,
            app -> Looks.hosts(app, "ops.example", "evil.example"),
            List.of(401, 401),
            List.of(200, 403)),
        row(
            "outbox.admin.health-endpoint.path=/probe",
            "",
            OTHER,
            app -> app.send("/probe").body().contains("\"reasons\":["),
            false,
            true),
        row(
            "outbox.admin.health-endpoint.anonymous=true",
            "",
            OTHER,
            app -> Looks.withAndWithoutToken(app, "/probe", "any"),
            NOT_FOUND,
            List.of(200, 200)),
        row(
            "outbox.admin.health-endpoint.token=prober-token-0123456789",
            "",
            LEAN,
            app -> Looks.withAndWithoutToken(app, "/probe", "prober-token-0123456789"),
            NOT_FOUND,
            List.of(401, 200)),
        row(
            "outbox.admin.metrics-endpoint.path=/figures",
            "",
            OTHER,
            app ->
                app.send("/figures", "Authorization", "Bearer scraper-token-0123456789")
                    .body()
                    .contains("\"databases\":["),
            false,
            true),
        row(
            "outbox.admin.metrics-endpoint.token=scraper-token-0123456789",
            "",
            OTHER,
            app -> Looks.withAndWithoutToken(app, "/figures", "scraper-token-0123456789"),
            NOT_FOUND,
            List.of(401, 200)),
        row(
            "outbox.admin.metrics-endpoint.anonymous=true",
            "",
            LEAN,
            app -> Looks.withAndWithoutToken(app, "/figures", "any"),
            NOT_FOUND,
            List.of(200, 200)),
        row(
            "outbox.admin.prometheus=true",
            OTHER,
            app -> app.api("/metrics/prometheus").statusCode(),
            404,
            200),
        row(
            "outbox.admin.login=2h",
            OTHER,
            Looks::cookie,
            Duration.ofHours(12),
            Duration.ofHours(2)),
        row(
            "outbox.admin.sampling=81s",
            OTHER,
            app -> Looks.field(app.bean(AdminConfig.class), "sampling", Duration.class),
            Duration.ofSeconds(10),
            Duration.ofSeconds(81)),
        row(
            "outbox.admin.time-limit=82s",
            OTHER,
            app -> Looks.operated(app).timeLimit(),
            Duration.ofSeconds(5),
            Duration.ofSeconds(82)),
        row(
            "outbox.admin.rates=process",
            "`table`; `process` with `delete-when-done`",
            OTHER,
            Looks::rates,
            "table",
            "process"),
        row(
            "outbox.admin.window=83s",
            LEAN,
            Looks::windows,
            List.of(Duration.ofMinutes(1), Duration.ofMinutes(1)),
            List.of(Duration.ofSeconds(83), Duration.ofSeconds(83))),
        row("outbox.admin.old-failures=2", LEAN, Looks::oldFailures, 0, 1));
  }

  private static List<Row> limits() {
    return List.of(
        limit("degraded.backlog=21", "`10000`", it -> it.backlog().degraded(), 10_000L, 21L),
        limit("degraded.dead=22", "`1`", it -> it.dead().degraded(), 1L, 22L),
        limit(
            "degraded.oldest-age=23s",
            "`1m`",
            it -> it.oldestAge().degraded(),
            Duration.ofMinutes(1),
            Duration.ofSeconds(23)),
        limit(
            "degraded.failure-ratio=0.24", "`0.1`", it -> it.failureRatio().degraded(), 0.1, 0.24),
        limit("unhealthy.backlog=25", "`100000`", it -> it.backlog().unhealthy(), 100_000L, 25L),
        limit("unhealthy.dead=26", "never", it -> it.dead().unhealthy(), Long.MAX_VALUE, 26L),
        limit(
            "unhealthy.oldest-age=27s",
            "`10m`",
            it -> it.oldestAge().unhealthy(),
            Duration.ofMinutes(10),
            Duration.ofSeconds(27)),
        limit(
            "unhealthy.failure-ratio=0.28",
            "`0.5`",
            it -> it.failureRatio().unhealthy(),
            0.5,
            0.28));
  }

  private static Row limit(
      String setting,
      String documented,
      Function<HealthThresholds, Object> figure,
      Object usual,
      Object other) {
    return row(
        "outbox.admin.health." + setting,
        documented,
        OTHER,
        app ->
            figure.apply(
                Looks.field(app.bean(AdminConfig.class), "thresholds", HealthThresholds.class)),
        usual,
        other);
  }
}
