package outbox.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import outbox.inbox.InboxMessage;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;

/** Requests over HTTP to a real container, into an inbox of a real database. */
@Timeout(120)
class WebhookReceiverTest {
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
  private static final byte[] SECRET = "0123456789abcdef0123456789abcdef".getBytes(UTF_8);
  private static final String WHSEC = "whsec_" + Base64.getEncoder().encodeToString(SECRET);
  private static final String BODY = "{\"amount\":12}";

  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final Map<String, InboxMessage> handled = new ConcurrentHashMap<>();
  private final HttpClient client = HttpClient.newHttpClient();
  @TempDir private Path folder;
  private TestDatabase database;
  private JdbcInbox inbox;

  @BeforeEach
  void openInbox() {
    database = TestDatabase.create(Product.H2);
    open.push(database);
    inbox =
        JdbcInbox.builder(database.dataSource())
            .createSchema()
            .handler("bank", (message, context) -> handled.put(message.messageId(), message))
            .start();
    open.push(inbox);
  }

  @AfterEach
  void closeAll() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  @Test
  void storesASignedRequestBeforeItAnswersAndKnowsItWhenItComesAgain() throws Exception {
    URI address = serve(standard());
    HttpResponse<String> first = send(signed(address, "msg-1", NOW, BODY));
    assertThat(first.statusCode()).isEqualTo(202);
    assertThat(stored()).isEqualTo(1);
    assertThat(send(signed(address, "msg-1", NOW, BODY)).statusCode()).isEqualTo(200);
    await().until(() -> handled.containsKey("msg-1"));
    assertThat(stored()).isEqualTo(1);
    assertThat(handled.get("msg-1"))
        .satisfies(
            message -> {
              assertThat(message.source()).isEqualTo("bank");
              assertThat(message.payload()).isEqualTo(BODY);
              assertThat(message.headers()).containsEntry("traceparent", "00-a");
            });
  }

  @Test
  void refusesWhatIsNotSignedByAKnownSecret() throws Exception {
    URI address = serve(standard());
    HttpRequest good = signed(address, "msg-1", NOW, BODY);
    assertThat(send(other(good, "webhook-id", "msg-2")).statusCode()).isEqualTo(401);
    assertThat(send(other(good, "webhook-signature", "v1,AAAA")).statusCode()).isEqualTo(401);
    assertThat(send(other(good, "webhook-signature", "v1,!")).statusCode()).isEqualTo(401);
    assertThat(send(other(good, "webhook-timestamp", "soon")).statusCode()).isEqualTo(401);
    HttpResponse<String> bare =
        send(HttpRequest.newBuilder(address).POST(BodyPublishers.ofString(BODY)).build());
    assertThat(bare.statusCode()).isEqualTo(401);
    assertThat(bare.body()).isEqualTo("the signature is not accepted\n");
    assertThat(stored()).isZero();
  }

  @Test
  void refusesARequestThatIsTooOldOrFromTheFuture() throws Exception {
    URI address = serve(standard());
    Duration tolerance = WebhookSignature.DEFAULT_TOLERANCE;
    for (Instant time :
        new Instant[] {NOW.minus(tolerance).minusSeconds(1), NOW.plus(tolerance).plusSeconds(1)}) {
      assertThat(send(signed(address, "msg-1", time, BODY)).statusCode()).isEqualTo(401);
    }
    assertThat(send(signed(address, "msg-1", NOW.minus(tolerance), BODY)).statusCode())
        .isEqualTo(202);
  }

  @Test
  void acceptsTheOldSecretWhileItIsReplaced() throws Exception {
    URI address =
        serve(
            WebhookReceiver.builder(
                    inbox,
                    "bank",
                    WebhookSignature.standard(
                        WebhookSignature.DEFAULT_TOLERANCE,
                        Clock.fixed(NOW, ZoneOffset.UTC),
                        Base64.getEncoder().encodeToString("new".getBytes(UTF_8)),
                        WHSEC))
                .build());
    assertThat(send(signed(address, "msg-1", NOW, BODY)).statusCode()).isEqualTo(202);
  }

  @Test
  void checksAnHmacOfTheBodyAndTakesTheIdFromAnyHeader() throws Exception {
    URI address =
        serve(
            WebhookReceiver.builder(
                    inbox,
                    "github",
                    WebhookSignature.hmacSha256("X-Hub-Signature-256", "sha256=", "s3cret"))
                .messageId(request -> request.header("X-GitHub-Delivery"))
                .topic(request -> "github." + request.path())
                .build());
    HttpRequest good =
        HttpRequest.newBuilder(address.resolve("/hook/push"))
            .header("X-GitHub-Delivery", "d-1")
            .header(
                "X-Hub-Signature-256",
                "sha256=" + HexFormat.of().formatHex(hmac("s3cret".getBytes(UTF_8), BODY)))
            .POST(BodyPublishers.ofString(BODY))
            .build();
    assertThat(send(good).statusCode()).isEqualTo(202);
    assertThat(send(other(good, "X-Hub-Signature-256", "sha256=00")).statusCode()).isEqualTo(401);
    assertThat(send(other(good, "X-Hub-Signature-256", "sha256=x")).statusCode()).isEqualTo(401);
    assertThat(send(other(good, "X-Hub-Signature-256", "md5=00")).statusCode()).isEqualTo(401);
  }

  @Test
  void refusesWhatCannotBeStored() throws Exception {
    URI address =
        serve(WebhookReceiver.builder(inbox, "bank", request -> {}).maxBytes(100).build());
    HttpRequest.Builder to = HttpRequest.newBuilder(address);
    assertThat(send(to.POST(BodyPublishers.ofString(BODY)).build()).statusCode()).isEqualTo(400);
    to.header("webhook-id", "msg-1");
    assertThat(send(to.POST(BodyPublishers.ofString("1".repeat(101))).build()).statusCode())
        .isEqualTo(413);
    assertThat(send(to.POST(BodyPublishers.ofByteArray(new byte[] {-1})).build()).statusCode())
        .isEqualTo(400);
    assertThat(send(to.GET().build()).statusCode()).isEqualTo(405);
    assertThat(stored()).isZero();
  }

  @Test
  void asksTheSenderToComeAgainWhenTheDatabaseDoesNotTakeIt() throws Exception {
    URI address = serve(standard());
    database.execute("ALTER TABLE outbox_inbox RENAME TO away");
    HttpResponse<String> refused = send(signed(address, "msg-1", NOW, BODY));
    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(refused.headers().firstValue("Retry-After")).hasValue("5");
    database.execute("ALTER TABLE away RENAME TO outbox_inbox");
    assertThat(send(signed(address, "msg-1", NOW, BODY)).statusCode()).isEqualTo(202);
  }

  @Test
  void refusesSecretsThatAreNone() {
    assertThatThrownBy(() -> WebhookSignature.standard())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least one");
    assertThatThrownBy(() -> WebhookSignature.hmacSha256("X", "", ""))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private WebhookReceiver standard() {
    return WebhookReceiver.builder(
            inbox,
            "bank",
            WebhookSignature.standard(
                WebhookSignature.DEFAULT_TOLERANCE, Clock.fixed(NOW, ZoneOffset.UTC), WHSEC))
        .build();
  }

  private URI serve(WebhookReceiver receiver) throws Exception {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(folder.toString());
    tomcat.setPort(0);
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    Context context = tomcat.addContext("", null);
    Tomcat.addServlet(context, "hook", receiver);
    context.addServletMappingDecoded("/hook/*", "hook");
    tomcat.start();
    open.push(
        () -> {
          tomcat.stop();
          tomcat.destroy();
        });
    return URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/hook");
  }

  private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    return client.send(request, BodyHandlers.ofString());
  }

  private static HttpRequest signed(URI address, String id, Instant time, String body)
      throws Exception {
    String seconds = Long.toString(time.getEpochSecond());
    String signature =
        Base64.getEncoder().encodeToString(hmac(SECRET, id + "." + seconds + "." + body));
    return HttpRequest.newBuilder(address)
        .header("webhook-id", id)
        .header("webhook-timestamp", seconds)
        .header("webhook-signature", "v1,bm90aGluZw== v1," + signature)
        .header("traceparent", "00-a")
        .POST(BodyPublishers.ofString(body))
        .build();
  }

  private static HttpRequest other(HttpRequest request, String header, String value) {
    return HttpRequest.newBuilder(request, (name, given) -> !name.equalsIgnoreCase(header))
        .header(header, value)
        .build();
  }

  private static byte[] hmac(byte[] secret, String text) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret, "HmacSHA256"));
    return mac.doFinal(text.getBytes(UTF_8));
  }

  private int stored() throws Exception {
    try (var connection = database.connect();
        var statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT COUNT(*) FROM outbox_inbox")) {
      rows.next();
      return rows.getInt(1);
    }
  }
}
