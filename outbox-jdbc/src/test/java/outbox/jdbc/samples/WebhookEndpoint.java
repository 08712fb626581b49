package outbox.jdbc.samples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.Executors;
import org.h2.jdbcx.JdbcDataSource;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.jdbc.JdbcInbox;
import outbox.util.JsonCodec;

/**
 * Takes webhooks in: checks the signature, recognises what it has seen, and answers before anything
 * is handled. 200 means that a message with this id is stored, by this or an earlier delivery, and
 * that the sender need not come again, be its content another one this time: that is for the
 * receiver to look into, and the inbox warns of it. 401 not signed, 413 too large, 400 not
 * understood; 503 asks the sender to come again.
 */
final class WebhookEndpoint implements HttpHandler {
  private static final int MAX_BODY_BYTES = 256 * 1024;
  private static final String SOURCE = "bank";

  private final Inbox inbox;
  private final WebhookSignature signature;

  WebhookEndpoint(Inbox inbox, WebhookSignature signature) {
    this.inbox = inbox;
    this.signature = signature;
  }

  /** Runs it on port 8080, on a database in memory. */
  public static void main(String[] arguments) throws IOException {
    byte[] secret =
        requireNonNull(System.getenv("WEBHOOK_SECRET"), "WEBHOOK_SECRET").getBytes(UTF_8);
    JdbcDataSource dataSource = new JdbcDataSource();
    dataSource.setUrl("jdbc:h2:mem:webhook;DB_CLOSE_DELAY=-1");
    JdbcInbox inbox =
        JdbcInbox.builder(dataSource)
            .createSchema()
            .handler(
                "payment.received",
                (message, context) -> System.out.println("handled " + message.key()))
            .start();
    HttpServer server = HttpServer.create(new InetSocketAddress(8080), 0);
    WebhookSignature signature = new WebhookSignature(secret, Clock.systemUTC());
    server.createContext("/webhooks/bank", new WebhookEndpoint(inbox, signature));
    server.setExecutor(Executors.newFixedThreadPool(8));
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  server.stop(1);
                  inbox.close();
                }));
    server.start();
    System.out.println("listening on http://localhost:8080/webhooks/bank");
  }

  // region webhook
  @Override
  public void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.sendResponseHeaders(answer(exchange), -1);
    }
  }

  private int answer(HttpExchange exchange) throws IOException {
    if (!exchange.getRequestMethod().equals("POST")) {
      return 405;
    }
    byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
    if (body.length > MAX_BODY_BYTES) {
      return 413;
    }
    if (!signature.matches(exchange.getRequestHeaders().getFirst("Webhook-Signature"), body)) {
      return 401;
    }
    try {
      return receive(body);
    } catch (IllegalArgumentException | CharacterCodingException e) {
      return 400;
    } catch (RuntimeException e) {
      return 503;
    }
  }

  private int receive(byte[] body) throws CharacterCodingException {
    String payload = UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
    Map<String, String> event = JsonCodec.parseObject(payload);
    String type = event.getOrDefault("type", "");
    String id = event.getOrDefault("id", "");
    inbox.receive(
        InboundMessage.of(new InboxKey(SOURCE, id), type, payload).withHash(sha256(body)));
    return 200;
  }

  // endregion

  private static byte[] sha256(byte[] body) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(body);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
