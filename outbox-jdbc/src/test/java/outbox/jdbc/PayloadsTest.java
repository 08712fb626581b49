package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.dispatch.Retries;
import outbox.inbox.InboxKey;
import outbox.jdbc.PayloadOptions.Letter;
import outbox.jdbc.PayloadOptions.TextCodec;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;

/** Payloads as objects: published, handled, received and refused. */
@Timeout(180)
class PayloadsTest {
  private final TestDatabase database = TestDatabase.create(Product.H2);
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final List<Object> seen = new CopyOnWriteArrayList<>();

  record OrderPlaced(long id, Instant at, List<Line> lines) {}

  record Line(String item, int count) {}

  private static final OrderPlaced ORDER =
      new OrderPlaced(42, Instant.parse("2026-01-02T03:04:05Z"), List.of(new Line("book", 2)));

  @AfterEach
  void closeAll() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
    database.close();
  }

  private JdbcOutbox.Builder builder() {
    return JdbcOutbox.builder(database.dataSource()).createSchema();
  }

  private <T extends AutoCloseable> T closing(T closeable) {
    open.push(closeable);
    return closeable;
  }

  private void awaitSeen(Object... expected) {
    EngineUnderTest.until(() -> seen.equals(List.of(expected)));
  }

  @Test
  void aRecordIsPublishedAndHandled() throws Exception {
    JdbcOutbox outbox =
        closing(
            builder().listener("OrderPlaced", OrderPlaced.class, order -> seen.add(order)).start());

    outbox.inTransaction(connection -> outbox.publish("OrderPlaced", ORDER));

    awaitSeen(ORDER);
    assertThat(text("SELECT payload_text FROM outbox_event"))
        .startsWith("{\"id\":42,\"at\":\"2026-01-02T03:04:05Z\"");
    assertThat(text("SELECT headers FROM outbox_event")).isIn(null, "{}");
  }

  @Test
  void theFactsOfAnEventAreSetAndComeBesideItsPayload() throws Exception {
    JdbcOutbox outbox =
        closing(
            builder()
                .listener(
                    "OrderPlaced",
                    OrderPlaced.class,
                    (order, event) -> seen.add(order.id() + " of " + event.tenantId()))
                .start());

    outbox.inTransaction(
        connection -> outbox.publish("OrderPlaced", ORDER, event -> event.tenantId("acme")));

    awaitSeen("42 of acme");
  }

  @Test
  void aTransactionalListenerWritesInTheTransactionThatCompletesItsEvent() throws Exception {
    database.execute("CREATE TABLE booked (id BIGINT)");
    JdbcOutbox outbox =
        closing(
            builder()
                .retries(Retries.fixed(Duration.ofMillis(1)))
                .transactionalListener(
                    "OrderPlaced",
                    OrderPlaced.class,
                    (order, connection) -> {
                      book(connection, order.id());
                      if (seen.isEmpty()) {
                        seen.add("failed");
                        throw new IOException("the first time");
                      }
                    })
                .start());

    outbox.inTransaction(connection -> outbox.publish("OrderPlaced", ORDER));

    EngineUnderTest.until(() -> number("SELECT COUNT(*) FROM outbox_event WHERE status = 1") == 1);
    assertThat(number("SELECT COUNT(*) FROM booked")).isEqualTo(1);
  }

  private static void book(Connection connection, long id) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement("INSERT INTO booked VALUES (?)")) {
      insert.setLong(1, id);
      insert.executeUpdate();
    }
  }

  @Test
  void aPayloadThatCannotBeReadIsTriedAgainAndKeepsWhereAndWhy() throws Exception {
    JdbcOutbox outbox = closing(reading(new OutboxConfig().setRetryBaseDelayMs(60_000)));

    publishBroken(outbox);

    EngineUnderTest.until(() -> number("SELECT COUNT(*) FROM outbox_event WHERE status = 2") == 1);
    assertThat(error())
        .contains("UnreadablePayloadException", "OrderPlaced", "[\"lines\"]", "[\"count\"]", "int")
        .doesNotContain("secret");
    assertThat(seen).isEmpty();
  }

  @Test
  void aPayloadThatCannotBeReadIsDeadAtOnceIfTheSettingSaysSo() throws Exception {
    JdbcOutbox outbox = closing(reading(new OutboxConfig().setRetryUnreadablePayloads(false)));

    publishBroken(outbox);

    EngineUnderTest.until(
        () -> number("SELECT COUNT(*) FROM outbox_event WHERE status = 3 AND attempts = 1") == 1);
    assertThat(error()).contains("never retried", "[\"count\"]").doesNotContain("secret");
  }

  private JdbcOutbox reading(OutboxConfig config) {
    return builder()
        .config(config.setRetryMaxDelayMs(60_000))
        .listener("OrderPlaced", OrderPlaced.class, order -> seen.add(order))
        .start();
  }

  private static void publishBroken(JdbcOutbox outbox) {
    outbox.inTransaction(
        connection ->
            outbox.publish(
                "OrderPlaced", "{\"id\":1,\"lines\":[{\"item\":\"book\",\"count\":\"secret\"}]}"));
  }

  @Test
  void textAndBytesAreStoredAsTheyAre() throws Exception {
    JdbcOutbox outbox =
        closing(
            builder()
                .listener("text", event -> seen.add(String.valueOf(event.payloadJson())))
                .listener("bytes", event -> seen.add(event.payloadSize()))
                .start());

    outbox.inTransaction(connection -> outbox.publish("text", "{\"by\":\"hand\"}"));
    awaitSeen("{\"by\":\"hand\"}");
    outbox.inTransaction(connection -> outbox.publish("bytes", new byte[] {1, 2, 3}));
    awaitSeen("{\"by\":\"hand\"}", 3);
  }

  @Test
  void aCodecOfBytesAddsItsContentType() throws Exception {
    TextCodec binary =
        new TextCodec() {
          @Override
          public String contentType() {
            return "application/x-letter";
          }

          @Override
          public boolean isText() {
            return false;
          }
        };
    JdbcOutbox outbox =
        closing(
            builder()
                .codec(binary)
                .listener(
                    "letter",
                    Letter.class,
                    (letter, event) -> {
                      seen.add(letter);
                      seen.add(event.headers());
                      seen.add(event.payloadJson() == null);
                    })
                .start());

    outbox.inTransaction(connection -> outbox.publish("letter", new Letter("hello")));

    awaitSeen(new Letter("hello"), Map.of("content-type", "application/x-letter"), true);
  }

  @Test
  void aMessageOfTheQueueIsAnObjectToo() throws Exception {
    JdbcOutbox outbox = closing(builder().handler("letter", Letter.class, seen::add).start());

    outbox.queue().enqueue("letter", new Letter("committed by itself"));
    awaitSeen(new Letter("committed by itself"));
    outbox.inTransaction(
        connection -> outbox.queue().enqueue(connection, "letter", new Letter("joined")));
    awaitSeen(new Letter("committed by itself"), new Letter("joined"));
  }

  @Test
  void stepsAndContinuationOfAJoinAreObjects() {
    JdbcOutbox outbox =
        closing(
            builder()
                .joins()
                .handler("step", Letter.class, letter -> {})
                .handler("all-done", Letter.class, seen::add)
                .start());

    outbox
        .joins()
        .plan()
        .step("step", new Letter("one"))
        .step("step", new Letter("two"))
        .onComplete("all-done", new Letter("both"))
        .onFail("failed", new Letter("not both"))
        .start();

    awaitSeen(new Letter("both"));
  }

  @Test
  void anInboxReceivesAnObject() {
    JdbcInbox inbox =
        closing(
            JdbcInbox.builder(database.dataSource())
                .createSchema()
                .handler(
                    "paid",
                    Letter.class,
                    (letter, message, context) ->
                        seen.add(message.messageId() + " " + letter.text()))
                .start());

    inbox.receive(new InboxKey("bank", "1"), "paid", new Letter("ten"));
    inbox.receive(new InboxKey("bank", "1"), "paid", new Letter("twenty"));

    awaitSeen("1 ten");
  }

  @Test
  void manyDatabasesShareTheCodec() {
    JdbcOutboxes outboxes =
        closing(
            JdbcOutboxes.builder()
                .database("one", database.dataSource())
                .createSchema()
                .codec(new TextCodec())
                .handler("letter", Letter.class, seen::add)
                .start());

    outboxes.getOutbox("one").enqueue("letter", new Letter("hello"));

    awaitSeen(new Letter("hello"));
  }

  @Test
  void aTransactionReturnsWhatItsBodyReturnsAndThrowsWhatItThrows() throws Exception {
    JdbcOutbox outbox = closing(builder().start());

    String id = outbox.inTransaction(connection -> outbox.publish("letter", "{}"));
    assertThat(text("SELECT event_id FROM outbox_event")).isEqualTo(id);

    assertThatThrownBy(() -> failIn(outbox)).isInstanceOf(IOException.class).hasMessage("mine");
    assertThat(number("SELECT COUNT(*) FROM outbox_event")).isEqualTo(1);
  }

  /** The compiler sees which exception it is. */
  private static void failIn(JdbcOutbox outbox) throws IOException {
    outbox.inTransaction(
        connection -> {
          outbox.publish(EventEnvelope.ofJson("letter", "{}"));
          throw new IOException("mine");
        });
  }

  private String error() {
    return String.valueOf(text("SELECT last_error FROM outbox_event"));
  }

  private int number(String query) {
    return Integer.parseInt(String.valueOf(text(query)));
  }

  private @Nullable String text(String query) {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      return row.next() ? row.getString(1) : null;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
