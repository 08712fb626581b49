package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;

/** One trace, from the HTTP request to whoever handles the event, wherever that is. */
class TraceTest {
  private static final List<String> TRACES = new CopyOnWriteArrayList<>();
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final String BEFORE_RESTART = newTrace();

  private static ConfigurableApplicationContext shop;
  private static ConfigurableApplicationContext receiver;

  /** A shop that takes an order and ends; the same shop again, with listeners; and another one. */
  @BeforeAll
  static void start() throws Exception {
    try (ConfigurableApplicationContext before = start("shop", Shop.class)) {
      order(before, BEFORE_RESTART);
    }
    receiver = start("receiver", Receiver.class);
    Sender.port = portOf(receiver);
    shop = start("shop", Shop.class, Handler.class, Sender.class);
  }

  @AfterAll
  static void close() {
    shop.close();
    receiver.close();
  }

  @Test
  void goesFromTheRequestToTheHandlerInTheSameProcess() throws Exception {
    String trace = newTrace();
    order(shop, trace);

    awaitTrace("handled in " + trace);
  }

  @Test
  void goesToAHandlerThatFindsTheEventAfterARestart() {
    awaitTrace("handled in " + BEFORE_RESTART);
  }

  @Test
  void goesThroughTheInboxOfASecondApplication() throws Exception {
    String trace = newTrace();
    order(shop, trace);

    awaitTrace("received in " + trace);
  }

  private static String newTrace() {
    return UUID.randomUUID().toString().replace("-", "");
  }

  private static void awaitTrace(String expected) {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(TRACES).contains(expected));
  }

  private static void order(ConfigurableApplicationContext at, String trace) throws Exception {
    post(portOf(at), "/orders", "a", "00-" + trace + "-00f067aa0ba902b7-01");
  }

  private static ConfigurableApplicationContext start(String database, Class<?>... parts) {
    SpringApplication application = new SpringApplication(parts);
    return application.run(
        "--spring.datasource.url=jdbc:h2:mem:trace-" + database + ";DB_CLOSE_DELAY=-1",
        "--spring.main.lazy-initialization=true",
        "--server.port=0",
        "--management.tracing.sampling.probability=1.0",
        "--outbox.poller.interval=200ms");
  }

  private static int portOf(ConfigurableApplicationContext context) {
    return Integer.parseInt(
        Objects.requireNonNull(context.getEnvironment().getProperty("local.server.port")));
  }

  private static void post(int port, String path, String body, String traceparent)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
            .header("traceparent", traceparent)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    assertThat(HTTP.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
        .isEqualTo(200);
  }

  private static String traceId(Tracer tracer) {
    Span span = tracer.currentSpan();
    return span == null ? "no trace" : span.context().traceId();
  }

  @EnableAutoConfiguration
  @RestController
  static class Shop {
    private final OutboxClient client;

    Shop(OutboxClient client) {
      this.client = client;
    }

    @PostMapping("/orders")
    @Transactional
    public void place(@RequestBody String order) {
      client.publish(EventEnvelope.ofJson("placed", order));
    }
  }

  @EnableAutoConfiguration
  static class Handler {
    private final Tracer tracer;

    Handler(Tracer tracer) {
      this.tracer = tracer;
    }

    @OutboxListener("placed")
    void handle(EventEnvelope event) {
      TRACES.add("handled in " + traceId(tracer));
    }
  }

  /** Passes the event on to the other application, with its trace. */
  @EnableAutoConfiguration
  static class Sender {
    static volatile int port;

    @OutboxListener("placed")
    void send(EventEnvelope event) throws Exception {
      post(
          port,
          "/inbox",
          event.eventId(),
          Objects.requireNonNull(event.headers().get("traceparent")));
    }
  }

  @EnableAutoConfiguration
  @RestController
  static class Receiver {
    private final Inbox inbox;
    private final Tracer tracer;

    Receiver(Inbox inbox, Tracer tracer) {
      this.inbox = inbox;
      this.tracer = tracer;
    }

    @PostMapping("/inbox")
    void receive(@RequestBody String messageId) {
      inbox.receive(new InboxKey("shop", messageId), "placed", "{}");
    }

    @InboxListener("placed")
    void handle(String payload) {
      TRACES.add("received in " + traceId(tracer));
    }
  }
}
