package outbox.spring.boot;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.test.util.ReflectionTestUtils;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxClient;
import outbox.OutboxConfig;
import outbox.Retention;
import outbox.admin.AdminConfig;
import outbox.admin.data.OperatedDatabase;
import outbox.dispatch.Retries;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.jdbc.JdbcOutbox;
import outbox.join.JoinCoordinator;
import outbox.model.EventStatus;
import outbox.spi.DeliveryRecord;
import outbox.spi.MetricsExporter;

/** What shows the effect of a property in an application that runs. */
final class Looks {
  private Looks() {}

  /** A setting of the engine; those of outbox and inbox if they differ. */
  static PropertyTable.Look config(Function<OutboxConfig, Object> setting) {
    return app -> {
      Object ofOutbox = setting.apply(field(outboxBuilder(app), "config", OutboxConfig.class));
      Object ofInbox = setting.apply(field(inboxBuilder(app), "config", OutboxConfig.class));
      return ofOutbox.equals(ofInbox) ? ofOutbox : List.of(ofOutbox, ofInbox);
    };
  }

  /** How long the outbox keeps something. */
  static PropertyTable.Look outbox(Function<Retention, @Nullable Duration> age) {
    return app -> shown(age.apply(field(outboxBuilder(app), "retention", Retention.class)));
  }

  /** How long the inbox keeps something. */
  static PropertyTable.Look inbox(Function<Retention, @Nullable Duration> age) {
    return app -> shown(age.apply(field(inboxBuilder(app), "retention", Retention.class)));
  }

  /** How outbox and inbox remove what has ended. */
  static PropertyTable.Look both(Function<Retention, Object> setting) {
    return app -> {
      Object ofOutbox = setting.apply(field(outboxBuilder(app), "retention", Retention.class));
      Object ofInbox = setting.apply(field(inboxBuilder(app), "retention", Retention.class));
      return ofOutbox.equals(ofInbox) ? ofOutbox : List.of(ofOutbox, ofInbox);
    };
  }

  static Object keptForever(WiredApplication app) {
    return field(outboxBuilder(app), "retention", Retention.class).equals(Retention.keepForever());
  }

  static Object messagesKeptForever(WiredApplication app) {
    return field(inboxBuilder(app), "retention", Retention.class).equals(Retention.keepForever());
  }

  static Object largestMessage(WiredApplication app) {
    return field(inboxBuilder(app), "maxPayloadBytes", Integer.class);
  }

  static Object storeNames(WiredApplication app) {
    Object ofOutbox = value(outboxBuilder(app), "storeName");
    return ofOutbox.equals(value(inboxBuilder(app), "storeName")) ? ofOutbox : "different ones";
  }

  /** A rule of the retries of all topics; none if the configuration has all of them. */
  static Object retries(WiredApplication app, String rule) {
    return rule(outboxBuilder(app), rule);
  }

  private static Object rule(Object builder, String rule) {
    Object retries = value(builder, "retries");
    return retries.equals("none") ? retries : value(retries, rule);
  }

  /** A rule of the retries of one topic. */
  static Object retries(WiredApplication app, String topic, String rule) {
    Retries ofOutbox = retriesOf(outboxBuilder(app), topic);
    Retries ofInbox = retriesOf(inboxBuilder(app), topic);
    if (ofOutbox == null || ofInbox == null) {
      return "none";
    }
    Object found = value(ofOutbox, rule);
    return found.equals(value(ofInbox, rule)) ? found : "different ones";
  }

  private static @Nullable Retries retriesOf(Object builder, String topic) {
    return (Retries) field(builder, "retriesByTopic", Map.class).get(topic);
  }

  /** The delay of a topic after so many failures. */
  static Object delay(WiredApplication app, String topic, int failures) {
    Retries retries = retriesOf(outboxBuilder(app), topic);
    return retries == null ? "none" : retries.delays().computeDelayMs(failures);
  }

  /** The delay of the inbox after so many failures. */
  static Object delayOfMessages(WiredApplication app, int failures) {
    Retries retries = field(inboxBuilder(app), "retries", Retries.class);
    return retries.jitter(0).delays().computeDelayMs(failures);
  }

  static Object isRetried(WiredApplication app, Class<?> type) {
    return isRetried(retries(app, "retriedByType"), type);
  }

  static Object isRetried(WiredApplication app, String topic, Class<?> type) {
    return isRetried(retries(app, topic, "retriedByType"), type);
  }

  private static Object isRetried(Object rules, Class<?> type) {
    return rules instanceof Map<?, ?> map ? requireNonNull(map.get(type), type::getName) : "none";
  }

  private static Object value(Object object, String field) {
    return requireNonNullElse(ReflectionTestUtils.getField(object, field), "none");
  }

  private static Object shown(@Nullable Duration age) {
    return age == null ? "for ever" : age;
  }

  private static Object outboxBuilder(WiredApplication app) {
    OutboxFactory factory = app.bean(OutboxFactory.class);
    return factory.builder(factory.database(), QueueMetrics.OUTBOX);
  }

  private static Object inboxBuilder(WiredApplication app) {
    return app.bean(OutboxFactory.class).inboxBuilder();
  }

  static <T> T field(Object object, String name, Class<T> type) {
    return requireNonNull(type.cast(ReflectionTestUtils.getField(object, name)), name);
  }

  static Object outboxes(WiredApplication app) {
    return app.context().getBeanNamesForType(JdbcOutbox.class).length;
  }

  static Object databasesWithEvents(WiredApplication app) {
    return app.context().getBeansOfType(DataSource.class).entrySet().stream()
        .filter(database -> WiredApplication.hasTable(database.getValue(), "outbox_event"))
        .map(database -> database.getKey())
        .toList();
  }

  static Object managerOfListeners(WiredApplication app) {
    publish(app, "stored");
    try {
      return requireNonNull(WiredApplication.STORED_BY.poll(1, TimeUnit.MINUTES));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  static Object missingTable(WiredApplication app) {
    return app.failure().contains("table outbox_event is missing");
  }

  static Object wantsPostgres(WiredApplication app) {
    return app.failure().contains("notifyNodes() needs PostgreSQL");
  }

  private static String publish(WiredApplication app, String topic) {
    String[] id = new String[1];
    OutboxClient client = app.bean(OutboxClient.class);
    app.inTransaction(() -> id[0] = client.publish(EventEnvelope.ofJson(topic, "{}")));
    return id[0];
  }

  private static String events(WiredApplication app) {
    return app.table("outbox_event", "shop_event");
  }

  private static String messages(WiredApplication app) {
    return app.table("outbox_inbox", "shop_inbox");
  }

  /** The table of the events that are published and shown. */
  static Object tableOfEvents(WiredApplication app) {
    String id = publish(app, "heard");
    String found = "SELECT event_id FROM " + events(app) + " WHERE event_id = ?";
    return app.column(found, id).size() == 1 && shows(app, "/" + id) ? events(app) : "none";
  }

  /** The table of the messages that are received and shown. */
  static Object tableOfMessages(WiredApplication app) {
    app.bean(Inbox.class).enqueue(InboundMessage.of(new InboxKey("table", "1"), "heard", "{}"));
    String found = "SELECT event_id FROM " + messages(app) + " WHERE source = 'table'";
    boolean shown = shows(app, "/inbox/message?source=table&messageId=1");
    return app.column(found).size() == 1 && shown ? messages(app) : "none";
  }

  private static boolean shows(WiredApplication app, String path) {
    return app.api(path).statusCode() == 200;
  }

  /** Whether a completed event is still there. */
  static Object afterItsEnd(WiredApplication app) {
    String id = publish(app, "heard");
    String ended =
        "SELECT CASE COUNT(*) WHEN 0 THEN 'deleted' ELSE 'kept' END FROM "
            + events(app)
            + " WHERE event_id = ? HAVING COUNT(*) = COUNT(done_at)";
    return app.awaitColumn(ended, id).get(0);
  }

  /** A first failure of an event and of a message: the lengths of the errors, and the ends. */
  static Failure failure(WiredApplication app) {
    publish(app, "broken");
    app.bean(Inbox.class).enqueue(InboundMessage.of(new InboxKey("failure", "1"), "broken", "{}"));
    List<Integer> lengths = new ArrayList<>();
    List<Boolean> ended = new ArrayList<>();
    for (String rows :
        List.of(
            events(app) + " WHERE event_type = 'broken'",
            messages(app) + " WHERE source = 'failure'")) {
      String failed = "SELECT CHAR_LENGTH(last_error) || ' ' || status FROM " + rows;
      String[] found =
          app.awaitColumn(failed + " AND last_error IS NOT NULL").get(0).split(" ", -1);
      lengths.add(Integer.valueOf(found[0]));
      ended.add(EventStatus.ofCode(Integer.parseInt(found[1])) == EventStatus.DEAD);
      app.execute("DELETE FROM " + rows);
    }
    return new Failure(lengths, ended);
  }

  record Failure(List<Integer> length, List<Boolean> ended) {}

  /** Who has handled an event, and who a message. */
  static Object nodes(WiredApplication app) {
    publish(app, "heard");
    app.bean(Inbox.class).enqueue(InboundMessage.of(new InboxKey("nodes", "1"), "heard", "{}"));
    return Stream.of(events(app), messages(app))
        .map(table -> "SELECT processed_by FROM " + table + " WHERE processed_by IS NOT NULL")
        .map(processed -> app.awaitColumn(processed).get(0))
        .map(token -> token.substring(0, token.indexOf('.')))
        .toList();
  }

  static Object applicationEvent(WiredApplication app) {
    try {
      app.inTransaction(() -> app.context().publishEvent(new WiredApplication.Shipped("order-1")));
    } catch (IllegalStateException e) {
      return "refused";
    }
    String stored = "SELECT event_id FROM " + events(app) + " WHERE event_type = 'shipped'";
    return app.column(stored).isEmpty() ? "inside" : "stored";
  }

  /** The table of the joins that are begun and shown. */
  static Object joins(WiredApplication app) {
    String table = app.table("outbox_join", "shop_join");
    JoinCoordinator joins = app.context().getBeanProvider(JoinCoordinator.class).getIfAvailable();
    if (joins == null) {
      return table;
    }
    String id = begin(joins);
    String found = "SELECT join_id FROM " + table + " WHERE join_id = ?";
    return app.column(found, id).size() == 1 && shows(app, "/joins/" + id) ? table : "none";
  }

  private static String begin(JoinCoordinator joins) {
    return joins.plan().step("heard", "{}").onComplete("heard", "{}").start().join().value();
  }

  /** The topic of waits, which no list shows. */
  static Object waitTopic(WiredApplication app) {
    JoinCoordinator joins = app.bean(JoinCoordinator.class);
    begin(joins);
    String topic = joins.waitHandler().topic();
    boolean listed = app.api("?status=all").body().contains("\"" + topic + "\"");
    return listed ? topic + " is listed" : topic;
  }

  /** The topics that two deliveries are measured under. */
  static Object topicsOfMeters(WiredApplication app) {
    MetricsExporter exporter = app.bean(OutboxFactory.class).metrics().of("wired");
    for (String topic : List.of("one", "two")) {
      exporter.recordDelivery(
          new DeliveryRecord(
              topic, DeliveryRecord.Outcome.DONE, 1, Duration.ofMillis(1), Duration.ofMillis(1)));
    }
    return app
        .bean(MeterRegistry.class)
        .find("outbox.handler.duration")
        .tag("queue", "wired")
        .timers()
        .stream()
        .filter(timer -> timer.count() > 0)
        .map(Looks::topic)
        .sorted()
        .toList();
  }

  private static String topic(Timer timer) {
    return requireNonNull(timer.getId().getTag("topic"));
  }

  /** The one of the paths at which the dashboard is. */
  static Object page(WiredApplication app) {
    return answering(app, "/", "/outbox", "/ops");
  }

  /** The one of the paths at which the API is. */
  static Object apiPath(WiredApplication app) {
    return answering(app, "/session", AdminConfig.DEFAULT_API_PATH, "/ops-api");
  }

  private static String answering(WiredApplication app, String below, String... paths) {
    return Stream.of(paths)
        .filter(path -> app.send(path + below, AUTHORIZATION).statusCode() == 200)
        .findFirst()
        .orElse("none");
  }

  private static final String[] AUTHORIZATION = {
    "Authorization", "Bearer " + WiredApplication.ROOT
  };

  /** Whom the API takes the sender of these headers for. */
  static Object caller(WiredApplication app, String... headers) {
    HttpResponse<String> session = app.send(app.api() + "/session", headers);
    if (session.statusCode() != 200) {
      return Integer.toString(session.statusCode());
    }
    String user = found(session.body(), "\"user\":\"([^\"]*)\"");
    return user + (session.body().contains("\"canWrite\":true") ? " writes" : " reads");
  }

  /** What is answered to who asks for the payload of an event. */
  static Object payload(WiredApplication app) {
    String id = publish(app, "heard");
    return app.api("/" + id + "?payload=true").statusCode();
  }

  static Object actsFrom(WiredApplication app, String origin) {
    String[] headers = {AUTHORIZATION[0], AUTHORIZATION[1], "Origin", origin};
    String body = "{\"filter\":{\"topic\":\"none\"},\"dryRun\":true}";
    return app.post(app.api() + "/dead/replay", body, headers).statusCode() == 200;
  }

  static Object hosts(WiredApplication app, String... hosts) {
    return Stream.of(hosts).map(host -> app.statusFor(host, app.api() + "/session")).toList();
  }

  /** What is answered to a request without a token, and to one with it. */
  static Object withAndWithoutToken(WiredApplication app, String path, String token) {
    return List.of(
        app.send(path).statusCode(),
        app.send(path, "Authorization", "Bearer " + token).statusCode());
  }

  static Object cookie(WiredApplication app) {
    String login = app.context().getEnvironment().getProperty("outbox.admin.path", "/outbox");
    HttpResponse<String> signedIn =
        app.post(login + "/ui/login", "{\"token\":\"" + WiredApplication.ROOT + "\"}");
    String cookie = signedIn.headers().firstValue("Set-Cookie").orElse("");
    return Duration.ofSeconds(Long.parseLong(found(cookie, "Max-Age=(\\d+)")));
  }

  static OperatedDatabase operated(WiredApplication app) {
    return (OperatedDatabase) field(app.bean(AdminConfig.class), "databases", List.class).get(0);
  }

  /** Whether what was delivered is known although the table no longer shows it. */
  static Object rates(WiredApplication app) {
    String id = publish(app, "heard");
    app.awaitColumn("SELECT event_id FROM " + done(app) + " AND event_id = ?", id);
    app.execute("DELETE FROM " + done(app));
    String figures = figuresAfter(app, "rates", 0);
    double rate = Double.parseDouble(found(figures, "\"throughputPerSecond\":([0-9.E-]+)"));
    return rate > 0 ? "process" : "table";
  }

  private static String done(WiredApplication app) {
    return events(app) + " WHERE done_at IS NOT NULL";
  }

  /** The window of what the table shows, and that of what the process counts. */
  static Object windows(WiredApplication app) {
    String shown = found(app.api("/metrics").body(), "\"windowMs\":(\\d+)");
    Object meter = field(app.bean(DeliveryRates.class), "outbox", Object.class);
    Object activity = field(meter, "activity", Object.class);
    return List.of(
        Duration.ofMillis(Long.parseLong(shown)),
        Duration.ofNanos(field(activity, "windowNanos", Long.class)));
  }

  /** How many events that have failed twice are old failures. */
  static Object oldFailures(WiredApplication app) {
    String figures = figuresAfter(app, "twice", 2);
    return Integer.valueOf(found(figures, "\"oldFailures\":\\{\"value\":(\\d+)"));
  }

  /** The figures, as soon as they count an event for later that has failed so often. */
  private static String figuresAfter(WiredApplication app, String topic, int failures) {
    EventEnvelope later =
        EventEnvelope.builder(topic)
            .payloadJson("{}")
            .dueAt(Instant.now().plusSeconds(3600))
            .build();
    app.inTransaction(
        () -> {
          app.bean(Outbox.class).enqueue(later);
          app.execute(
              "UPDATE "
                  + events(app)
                  + " SET last_error = 'boom', attempts = "
                  + failures
                  + " WHERE event_type = '"
                  + topic
                  + "'");
        });
    return app.awaitApi("/metrics", "\"topic\":\"" + topic + "\"");
  }

  private static String found(@Nullable String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(requireNonNullElse(text, ""));
    return matcher.find() ? matcher.group(1) : "none in " + text;
  }
}
