package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
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

/** One trace, from the HTTP request to whoever handles the event, wherever that is. */
class TraceTest {
  private static final BlockingQueue<String> TRACES = new LinkedBlockingQueue<>();
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final String trace = UUID.randomUUID().toString().replace("-", "");
  private final String traceparent = "00-" + trace + "-00f067aa0ba902b7-01";
  private final String database = "jdbc:h2:mem:" + trace + ";DB_CLOSE_DELAY=-1";

  @Test
  void goesFromTheRequestToTheHandlerInTheSameProcess() throws Exception {
    try (ConfigurableApplicationContext shop = start(database, Shop.class, Handler.class)) {
      post(portOf(shop), "/orders", "a", traceparent);

      assertThat(TRACES.poll(30, TimeUnit.SECONDS)).isEqualTo("handled in " + trace);
    }
  }

  @Test
  void goesToAHandlerThatFindsTheEventAfterARestart() throws Exception {
    try (ConfigurableApplicationContext publisher = start(database, Shop.class)) {
      post(portOf(publisher), "/orders", "a", traceparent);
    }
    try (ConfigurableApplicationContext handler = start(database, Handler.class)) {
      assertThat(handler.isRunning()).isTrue();
      assertThat(TRACES.poll(30, TimeUnit.SECONDS)).isEqualTo("handled in " + trace);
    }
  }

  @Test
  void goesThroughTheInboxOfASecondApplication() throws Exception {
    try (ConfigurableApplicationContext receiver =
            start("jdbc:h2:mem:receiver" + trace, Receiver.class);
        ConfigurableApplicationContext shop = start(database, Shop.class, Sender.class)) {
      Sender.port = portOf(receiver);
      post(portOf(shop), "/orders", "a", traceparent);

      assertThat(TRACES.poll(30, TimeUnit.SECONDS)).isEqualTo("received in " + trace);
    }
  }

  private static ConfigurableApplicationContext start(String url, Class<?>... parts) {
    SpringApplication application = new SpringApplication(parts);
    return application.run(
        "--spring.datasource.url=" + url,
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
      inbox.receive("placed", "shop", messageId, "{}", null);
    }

    @InboxListener("placed")
    void handle(String payload) {
      TRACES.add("received in " + traceId(tracer));
    }
  }
}
