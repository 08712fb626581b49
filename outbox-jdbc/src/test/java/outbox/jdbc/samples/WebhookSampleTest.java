package outbox.jdbc.samples;

import static java.net.http.HttpRequest.BodyPublishers.ofByteArray;
import static java.net.http.HttpRequest.BodyPublishers.ofInputStream;
import static java.net.http.HttpResponse.BodyHandlers.discarding;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.inbox.Inbox;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcInboxStore;

/** The webhook sample over real HTTP. */
class WebhookSampleTest {
  private static final Instant NOW = Instant.parse("2030-01-01T12:00:00Z");
  private static final String EVENT = "{\"id\":\"evt_1\",\"type\":\"payment.received\"}";

  private final SampleDatabase database = new SampleDatabase();
  private final List<String> handled = new CopyOnWriteArrayList<>();
  private final WebhookSignature signature =
      new WebhookSignature("secret".getBytes(UTF_8), Clock.fixed(NOW, ZoneOffset.UTC));
  private final HttpClient client = HttpClient.newHttpClient();
  private JdbcInbox inbox;
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    inbox =
        JdbcInbox.builder(database.dataSource())
            .createSchema()
            .handler("payment.received", (message, context) -> handled.add(message.payload()))
            .start();
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/webhooks/bank", new WebhookEndpoint(inbox, signature));
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
    inbox.close();
    database.close();
  }

  @Test
  @Spec({"IBXU-11", "IBX-129"})
  void aSignedWebhookIsStoredOnceAndHandledOnceHoweverOftenItComes() throws Exception {
    assertThat(post(EVENT, NOW)).isEqualTo(200);
    assertThat(post(EVENT, NOW)).isEqualTo(200);
    await().atMost(Duration.ofSeconds(60)).until(() -> messages(1) == 1);

    assertThat(post(EVENT, NOW)).isEqualTo(200);

    assertThat(handled).containsExactly(EVENT);
    assertThat(messages(0) + messages(1)).isEqualTo(1);
  }

  @Test
  @Spec("IBXU-11")
  void whatIsNotSignedByTheSenderOrOutOfTimeIsRefused() throws Exception {
    assertThat(send(EVENT, null)).isEqualTo(401);
    assertThat(send(EVENT, "nonsense")).isEqualTo(401);
    assertThat(send(EVENT, header("another body", NOW))).isEqualTo(401);
    assertThat(post(EVENT, NOW.minusSeconds(301))).isEqualTo(401);
    assertThat(post(EVENT, NOW.plusSeconds(301))).isEqualTo(401);
    assertThat(messages(0)).isZero();
    assertThat(post(EVENT, NOW.minusSeconds(299))).isEqualTo(200);
    assertThat(post(EVENT, NOW.plusSeconds(299))).isEqualTo(200);
  }

  @Test
  @Spec("IBXU-11")
  void whatIsTooLargeOrNotUnderstoodIsRefused() throws Exception {
    assertThat(post("x".repeat(300_000), NOW)).isEqualTo(413);
    assertThat(post("no json", NOW)).isEqualTo(400);
    assertThat(post("{\"id\":\"evt_1\"}", NOW)).isEqualTo(400);
    assertThat(post("{\"type\":\"payment.received\"}", NOW)).isEqualTo(400);
    assertThat(messages(0) + messages(1)).isZero();
  }

  @Test
  @Spec("IBXU-11")
  void aBodyWithoutStatedLengthIsReadNoFurtherThanAllowed() throws Exception {
    byte[] body = "x".repeat(300_000).getBytes(UTF_8);
    assertThat(send(ofInputStream(() -> new ByteArrayInputStream(body)), null)).isEqualTo(413);

    String largest = padded(256 * 1024);
    assertThat(post(largest, NOW)).isEqualTo(200);
    assertThat(post(padded(256 * 1024 + 1), NOW)).isEqualTo(413);
  }

  private static String padded(int length) {
    return EVENT + " ".repeat(length - EVENT.length());
  }

  @Test
  @Spec("IBXU-11")
  void theSignatureIsOfThisSecretThisBodyAndThisTime() throws Exception {
    WebhookSignature another =
        new WebhookSignature("another".getBytes(UTF_8), Clock.fixed(NOW, ZoneOffset.UTC));
    String seconds = String.valueOf(NOW.getEpochSecond());
    String forged = HexFormat.of().formatHex(another.hmac(seconds, EVENT.getBytes(UTF_8)));
    assertThat(send(EVENT, "t=" + seconds + ",v1=" + forged)).isEqualTo(401);

    String old = header(EVENT, NOW.minusSeconds(600));
    String redated = old.replaceFirst("t=\\d+", "t=" + seconds);
    assertThat(send(EVENT, redated)).isEqualTo(401);
    assertThat(post(EVENT, NOW.minusSeconds(300))).isEqualTo(200);
    assertThat(post(EVENT, NOW.plusSeconds(300))).isEqualTo(200);
  }

  @Test
  void whatIsNoTextIsRefusedAndOnlyPostsAreTaken() throws Exception {
    byte[] body = {'{', (byte) 0xff, '}'};
    assertThat(send(ofByteArray(body), header(body, NOW))).isEqualTo(400);
    HttpRequest get = HttpRequest.newBuilder(uri()).GET().build();
    assertThat(client.send(get, discarding()).statusCode()).isEqualTo(405);
  }

  @Test
  void aSenderIsAskedToComeAgainWhileTheDatabaseIsDown() throws Exception {
    Inbox down =
        Inbox.builder(
                () -> {
                  throw new SQLException("down");
                },
                new JdbcInboxStore())
            .build();
    server.removeContext("/webhooks/bank");
    server.createContext("/webhooks/bank", new WebhookEndpoint(down, signature));

    assertThat(post(EVENT, NOW)).isEqualTo(503);
  }

  @Test
  @Spec({"IBXU-11", "IBX-008"})
  void anotherContentUnderAKnownIdIsADuplicateToTheSender() throws Exception {
    assertThat(post(EVENT, NOW)).isEqualTo(200);
    assertThat(post(EVENT.replace("}", ",\"amount\":\"9\"}"), NOW)).isEqualTo(200);

    await().atMost(Duration.ofSeconds(60)).until(() -> messages(1) == 1);
    assertThat(handled).containsExactly(EVENT);
  }

  private int messages(int status) {
    return database.number("SELECT COUNT(*) FROM outbox_inbox WHERE status = " + status);
  }

  private int post(String body, Instant signedAt) throws Exception {
    return send(body, header(body, signedAt));
  }

  private String header(String body, Instant signedAt) {
    return header(body.getBytes(UTF_8), signedAt);
  }

  private String header(byte[] body, Instant signedAt) {
    String seconds = String.valueOf(signedAt.getEpochSecond());
    byte[] mac = signature.hmac(seconds, body);
    return "t=" + seconds + ",v1=" + HexFormat.of().formatHex(mac);
  }

  private int send(String body, @Nullable String header) throws Exception {
    return send(ofByteArray(body.getBytes(UTF_8)), header);
  }

  private URI uri() {
    return URI.create("http://localhost:" + server.getAddress().getPort() + "/webhooks/bank");
  }

  private int send(BodyPublisher body, @Nullable String header) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri()).POST(body);
    if (header != null) {
      request.header("Webhook-Signature", header);
    }
    return client.send(request.build(), discarding()).statusCode();
  }
}
