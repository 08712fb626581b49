package outbox.spring.boot;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.PermanentFailureException;
import outbox.admin.Redaction;
import outbox.contracts.support.Spec;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.join.JoinCoordinator;
import outbox.join.JoinPlan;
import outbox.model.MessageId;
import outbox.model.OwnerToken;

/** The dashboard beside an application's own pages. */
class AdminTest {
  private static final String TOKEN = "reader-token-0123456789";
  private static final Duration LONG = Duration.ofSeconds(60);

  @EnableAutoConfiguration
  static class Application {}

  @Test
  void onePropertyAndATokenMountTheDashboardAndItsApi() throws Exception {
    try (ConfigurableApplicationContext context =
        start("--outbox.admin.enabled=true", "--outbox.admin.read-tokens.rita=" + TOKEN)) {
      enqueueForLater(context);

      assertThat(get(context, "/outbox/events").body())
          .contains("<base href=\"/outbox/\">", "content=\"/api/workflow/outbox\"");
      assertThat(get(context, "/outbox/ui/app.css").statusCode()).isEqualTo(200);
      assertThat(get(context, "/api/workflow/outbox").body()).contains("\"nobody.listens\"");
      assertThat(get(context, "/api/workflow/outbox/session").body())
          .contains("\"user\":\"rita\"", "\"canWrite\":false");
    }
  }

  @Test
  @Spec("IDEM-88")
  void healthAndMetricsHavePathsAndRulesOfTheirOwn() throws Exception {
    try (ConfigurableApplicationContext context =
        start(
            "--outbox.admin.enabled=true",
            "--outbox.admin.read-tokens.rita=reader-token-9876543210",
            "--outbox.admin.prometheus=true",
            "--outbox.admin.health-endpoint.path=/healthz",
            "--outbox.admin.health-endpoint.anonymous=true",
            "--outbox.admin.metrics-endpoint.path=/figures",
            "--outbox.admin.metrics-endpoint.token=" + TOKEN)) {
      assertThat(get(context, "/healthz").statusCode()).isEqualTo(200);
      assertThat(get(context, "/figures/prometheus").body()).contains("outbox_");
      assertThat(get(context, "/api/workflow/outbox/metrics").statusCode()).isEqualTo(401);
    }
  }

  @Test
  void anEndpointWithoutARuleStopsTheStartAndIsNamed() {
    assertThatThrownBy(
            () ->
                start(
                        "--outbox.admin.enabled=true",
                        "--outbox.admin.read-tokens.rita=" + TOKEN,
                        "--outbox.admin.health-endpoint.path=/healthz")
                    .close())
        .hasStackTraceContaining("outbox.admin.health-endpoint.path is set");
  }

  @Test
  void onlyListedHostsAreServed() throws Exception {
    try (ConfigurableApplicationContext context =
        start(
            "--outbox.admin.enabled=true",
            "--outbox.admin.read-tokens.rita=" + TOKEN,
            "--outbox.admin.allowed-hosts=ops.example")) {
      assertThat(firstLine(context, "ops.example")).contains(" 401 ");
      assertThat(firstLine(context, "evil.example")).contains(" 403 ");
    }
  }

  /** A client library would set the host by itself. */
  private static String firstLine(ConfigurableApplicationContext context, String host)
      throws Exception {
    String port = requireNonNull(context.getEnvironment().getProperty("local.server.port"));
    try (Socket socket = new Socket("localhost", Integer.parseInt(port))) {
      String request =
          "GET /api/workflow/outbox HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), US_ASCII)
          .lines()
          .findFirst()
          .orElse("");
    }
  }

  @Test
  void withoutThePropertyThereIsNothing() throws Exception {
    try (ConfigurableApplicationContext context = start()) {
      assertThat(get(context, "/outbox/").statusCode()).isEqualTo(404);
      assertThat(get(context, "/api/workflow/outbox").statusCode()).isEqualTo(404);
    }
  }

  @Test
  @Spec("IDEM-87")
  void thresholdAndWindowOfTheFiguresAreProperties() throws Exception {
    try (ConfigurableApplicationContext context =
        start(
            "--outbox.admin.enabled=true",
            "--outbox.admin.read-tokens.rita=" + TOKEN,
            "--outbox.poller.enabled=false",
            "--outbox.admin.old-failures=1",
            "--outbox.admin.window=90s")) {
      Outbox outbox = context.getBean(Outbox.class);
      OwnerToken owner = new OwnerToken("somebody");
      MessageId id = outbox.enqueue(EventEnvelope.ofJson("nobody.listens", "{}")).id();
      outbox.claim(owner, Duration.ofMinutes(1), 10);
      outbox.abandon(owner, List.of(id), "no route", Duration.ofHours(1));

      await()
          .atMost(LONG)
          .untilAsserted(
              () ->
                  assertThat(get(context, "/api/workflow/outbox/metrics").body())
                      .contains("\"oldFailures\":{\"value\":1,", "\"windowMs\":90000"));
    }
  }

  @ParameterizedTest
  @CsvSource({"window=0s, window (PT0S) must be positive", "old-failures=0, oldFailures (0) must"})
  @Spec("IDEM-87")
  void aThresholdOrWindowThatMeansNothingStopsTheStart(String property, String why) {
    Throwable refused =
        catchThrowable(
            () ->
                start(
                        "--outbox.admin.enabled=true",
                        "--outbox.admin.read-tokens.rita=" + TOKEN,
                        "--outbox.admin." + property)
                    .close());
    FailureAnalysis told = requireNonNull(new OutboxFailureAnalyzer().analyze(refused));
    assertThat(told.getDescription()).contains("outbox.admin.", why);
  }

  @Test
  void withoutAWayInTheStartFailsAndNamesTheProperties() {
    assertThatThrownBy(() -> start("--outbox.admin.enabled=true").close())
        .rootCause()
        .hasMessageContaining("no way in");
  }

  @Test
  void aTokenWhoseVariableIsNotSetStopsTheStartAndIsNamed() {
    assertThatThrownBy(
            () ->
                start(
                        "--outbox.admin.enabled=true",
                        "--outbox.admin.admin-tokens.alan=${NO_SUCH_VARIABLE_ANYWHERE}")
                    .close())
        .hasStackTraceContaining("outbox.admin.admin-tokens.alan is refused");
  }

  @Test
  void twoRedactionsStopTheStartRatherThanNoneApplies() {
    assertThatThrownBy(
            () ->
                start(
                        TwoRedactions.class,
                        "--outbox.admin.enabled=true",
                        "--outbox.admin.read-tokens.rita=" + TOKEN)
                    .close())
        .hasStackTraceContaining("NoUniqueBeanDefinitionException");
  }

  @EnableAutoConfiguration
  static class TwoRedactions {
    @Bean
    Redaction cards() {
      return (topic, payload) -> null;
    }

    @Bean
    Redaction names() {
      return (topic, payload) -> null;
    }
  }

  @Test
  void limitsOfHealthAreProperties() throws Exception {
    try (ConfigurableApplicationContext context =
        start(
            "--outbox.admin.enabled=true",
            "--outbox.admin.read-tokens.rita=" + TOKEN,
            "--outbox.poller.enabled=false",
            "--outbox.admin.health.degraded.backlog=1",
            "--outbox.admin.health.unhealthy.backlog=1")) {
      enqueueForLater(context);
      context.getBean(Outbox.class).enqueue(EventEnvelope.ofJson("nobody.listens", "{}"));

      await()
          .atMost(LONG)
          .until(() -> get(context, "/api/workflow/outbox/health").statusCode() == 503);
      assertThat(get(context, "/api/workflow/outbox/health").body())
          .contains("a backlog of 1 message (unhealthy from 1)");
    }
  }

  @Test
  void limitsInTheWrongOrderStopTheStartAndAreNamed() {
    assertThatThrownBy(
            () ->
                start(
                        "--outbox.admin.enabled=true",
                        "--outbox.admin.read-tokens.rita=" + TOKEN,
                        "--outbox.admin.health.degraded.oldest-age=1h")
                    .close())
        .hasStackTraceContaining("unhealthy (PT10M) must not be below degraded (PT1H)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          degraded.oldest-age=1h      | The limits of oldest-age | health.unhealthy.oldest-age.
          degraded.backlog=-1         | degraded backlog (-1)    | must not be negative
          unhealthy.failure-ratio=1.5 | failureRatio (1.5)       | must be from 0 to 1
          """)
  void whoeverSetAWrongLimitIsToldWhichAndWhatToDo(String limit, String which, String action) {
    Throwable refused =
        catchThrowable(
            () ->
                start(
                        "--outbox.admin.enabled=true",
                        "--outbox.admin.read-tokens.rita=" + TOKEN,
                        "--outbox.admin.health." + limit)
                    .close());

    FailureAnalysis told = requireNonNull(new OutboxFailureAnalyzer().analyze(refused));
    assertThat(told.getDescription()).contains("outbox.admin.health", which);
    assertThat(told.getAction()).contains(action);
  }

  @Test
  void whatIsDeletedWhenDoneIsCountedByTheProcess() throws Exception {
    try (ConfigurableApplicationContext context =
        start(
            Listening.class,
            "--outbox.admin.enabled=true",
            "--outbox.admin.read-tokens.rita=" + TOKEN,
            "--outbox.delete-when-done=true",
            "--outbox.joins.enabled=false")) {
      context.getBean(Outbox.class).enqueue(EventEnvelope.ofJson("heard", "{}"));

      await()
          .atMost(LONG)
          .until(
              () ->
                  get(context, "/api/workflow/outbox/overview")
                      .body()
                      .matches("(?s).*\"throughputPerSecond\":[0.]*[1-9].*"));
    }
  }

  @Test
  @Spec("JOINU-04")
  void joinsHaveTheTableAndTheWaitTopicThatThePropertiesSay() throws Exception {
    try (ConfigurableApplicationContext context =
        start(
            "--outbox.joins.table=fan_in",
            "--outbox.joins.wait-topic=fan.wait",
            "--outbox.admin.enabled=true",
            "--outbox.admin.read-tokens.rita=" + TOKEN)) {
      JoinCoordinator joins = context.getBean(JoinCoordinator.class);
      JoinPlan.Started started =
          joins.plan().step("nobody.listens", "{}").onComplete("next", "{}").start();

      assertThat(joins.waitHandler().topic()).isEqualTo("fan.wait");
      assertThat(get(context, "/api/workflow/outbox?status=all").body())
          .contains("nobody.listens")
          .doesNotContain("fan.wait");
      assertThat(get(context, "/api/workflow/outbox/joins").body())
          .contains(started.join().value());
      assertThat(
              context
                  .getBean(JdbcTemplate.class)
                  .queryForObject("SELECT COUNT(*) FROM fan_in_wait", Integer.class))
          .isEqualTo(1);
    }
  }

  @EnableAutoConfiguration
  static class Listening {
    @OutboxListener("heard")
    void hear(String payload) {}
  }

  @Test
  void aMessageThatIsReplayedIsHandledAgainWithoutWaitingForThePoller() throws Exception {
    try (ConfigurableApplicationContext context =
        start(
            Receiving.class,
            "--outbox.poller.interval=1h",
            "--outbox.admin.enabled=true",
            "--outbox.admin.admin-tokens.alan=" + TOKEN)) {
      context
          .getBean(Inbox.class)
          .receive(
              InboundMessage.of(new InboxKey("bank", "m-1"), "paid", "{}").withHash(new byte[32]));
      Receiving receiver = context.getBean(Receiving.class);
      String message = "/api/workflow/outbox/inbox/message?source=bank&messageId=m-1";
      await().atMost(LONG).until(() -> get(context, message).body().contains("\"DEAD\""));
      receiver.mended = true;

      assertThat(post(context, message.replace("message?", "message/replay?")).body())
          .isEqualTo("{\"changed\":1}");

      await().atMost(LONG).until(() -> get(context, message).body().contains("\"DONE\""));
    }
  }

  @EnableAutoConfiguration
  static class Receiving {
    volatile boolean mended;

    @InboxListener("paid")
    void receive(String payload) {
      if (!mended) {
        throw new PermanentFailureException("not yet");
      }
    }
  }

  private static void enqueueForLater(ConfigurableApplicationContext context) {
    context
        .getBean(Outbox.class)
        .enqueue(
            EventEnvelope.builder("nobody.listens")
                .payloadJson("{}")
                .dueAt(Instant.now().plusSeconds(3600))
                .build());
  }

  private static ConfigurableApplicationContext start(String... arguments) {
    return start(Application.class, arguments);
  }

  private static ConfigurableApplicationContext start(Class<?> type, String... arguments) {
    SpringApplication application = new SpringApplication(type);
    String[] all = new String[arguments.length + 2];
    all[0] = "--server.port=0";
    all[1] = "--spring.datasource.generate-unique-name=true";
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    return application.run(all);
  }

  private static HttpResponse<String> get(ConfigurableApplicationContext context, String path)
      throws Exception {
    return send(request(context, path));
  }

  private static HttpResponse<String> post(ConfigurableApplicationContext context, String path)
      throws Exception {
    return send(
        request(context, path).header("X-Outbox-Action", "1").POST(BodyPublishers.noBody()));
  }

  private static HttpRequest.Builder request(ConfigurableApplicationContext context, String path) {
    String port = context.getEnvironment().getProperty("local.server.port");
    return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
        .header("Authorization", "Bearer " + TOKEN);
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
  }
}
