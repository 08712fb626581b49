package outbox.jdbc;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.OutboxConfig;
import outbox.PermanentFailureException;
import outbox.Retention;
import outbox.contracts.support.Spec;
import outbox.dispatch.Retries;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.inbox.TransactionalInboxHandler;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.InboxSchema;
import outbox.model.OwnerToken;
import outbox.routing.DrainFirstOutboxSelectionStrategy;
import outbox.routing.OutboxDatabase;
import outbox.routing.OutboxDatabaseDiscovery;
import outbox.routing.OutboxSelectionStrategy;
import outbox.routing.OutboxStore;
import outbox.spi.Propagation;

/** The inboxes of many databases; what serves them is tested with the outboxes of many. */
@Timeout(180)
class JdbcInboxesTest {
  private final TestDatabase a = TestDatabase.create(Product.H2);
  private final TestDatabase b = TestDatabase.create(Product.H2);
  private final List<String> handled = new CopyOnWriteArrayList<>();

  @AfterEach
  void drop() {
    a.close();
    b.close();
  }

  @Test
  @Spec("IBXU-09")
  void anInboxClaimsFiftyWhateverElseItsConfigurationSets() {
    OutboxConfig given = new OutboxConfig().setDispatcherWorkers(2);

    assertThat(JdbcInbox.builder(a.dataSource()).config.getPollerBatchSize()).isEqualTo(50);
    assertThat(JdbcInbox.builder(a.dataSource()).config(given).config.getPollerBatchSize())
        .isEqualTo(50);
    assertThat(JdbcOutbox.builder(a.dataSource()).config(given).config.getPollerBatchSize())
        .isEqualTo(200);
    given.setPollerBatchSize(200);
    assertThat(JdbcInbox.builder(a.dataSource()).config(given).config.getPollerBatchSize())
        .isEqualTo(200);
  }

  @Test
  @Spec("IBXU-09")
  void theInboxesOfManyDatabasesClaimFiftyAtATimeToo() throws Exception {
    InboxSchema.of(a.dataSource()).deploy();
    JdbcInbox intake = JdbcInbox.builder(a.dataSource()).start();
    for (int i = 0; i < 120; i++) {
      intake.receive(new InboxKey("shop", "m" + i), "topic", "{}");
    }
    intake.close();
    CountDownLatch goOn = new CountDownLatch(1);
    try (JdbcInboxes inboxes =
        JdbcInboxes.builder()
            .database("a", a.dataSource())
            .handler("topic", (message, context) -> goOn.await())
            .start()) {
      assertThat(inboxes.getWorkStores()).containsOnlyKeys("a");
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> count(a, "outbox_inbox WHERE owner_token IS NOT NULL") == 120);

      assertThat(count(a, claims("= 50"))).isEqualTo(2);
      assertThat(count(a, claims("> 50"))).isZero();
      goOn.countDown();
    }
  }

  private static String claims(String size) {
    return "(SELECT owner_token FROM outbox_inbox GROUP BY owner_token HAVING COUNT(*) "
        + size
        + ")";
  }

  @Test
  @Spec("IBXU-09")
  void tableAndLargestPayloadAreOptionsOfOneInboxAndOfMany() throws Exception {
    InboxSchema.of(a.dataSource()).tableName("my_inbox").deploy();
    try (JdbcInbox one =
            JdbcInbox.builder(a.dataSource())
                .store(JdbcInboxStore.onTable("my_inbox"))
                .maxPayloadBytes(3)
                .start();
        JdbcInboxes many =
            JdbcInboxes.builder()
                .database("a", a.dataSource())
                .tableName("my_inbox")
                .maxPayloadBytes(3)
                .start()) {
      for (Map.Entry<String, Inbox> each : Map.of("1", one, "2", many.getInbox("a")).entrySet()) {
        each.getValue()
            .enqueue(InboundMessage.of(new InboxKey("shop", each.getKey()), "topic", "{}"));
        assertThatThrownBy(
                () ->
                    each.getValue()
                        .enqueue(InboundMessage.of(new InboxKey("shop", "3"), "topic", "four")))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("payload (4 bytes)");
      }

      assertThat(many.getWorkStore("a").get(new InboxKey("shop", "1"))).isPresent();
      assertThat(one.workStore().get(new InboxKey("shop", "2"))).isPresent();
    }
    assertThat(count(a, "my_inbox")).isEqualTo(2);
  }

  @Test
  @Spec("IBXU-12")
  void theInboxesOfADiscoveryAreListedAndServedInTheOrderOfAStrategy() {
    List<OutboxDatabase> known = new CopyOnWriteArrayList<>();
    known.add(OutboxDatabase.of("tenant-a", a.url(), "", ""));
    List<String> chosen = new CopyOnWriteArrayList<>();
    OutboxSelectionStrategy strategy = new DrainFirstOutboxSelectionStrategy();
    try (JdbcInboxes inboxes =
        JdbcInboxes.builder()
            .discovery(() -> List.copyOf(known))
            .discoveryInterval(Duration.ofMillis(50))
            .strategy(strategy)
            .createSchema()
            .handler("topic", (message, context) -> chosen.add(message.messageId()))
            .start()) {
      assertThat(inboxes.getWorkStores()).containsOnlyKeys("tenant-a");

      known.add(OutboxDatabase.of("tenant-b", b.url(), "", ""));
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> inboxes.getWorkStores().containsKey("tenant-b"));
      inboxes
          .getInbox("tenant-a")
          .enqueue(InboundMessage.of(new InboxKey("shop", "of-a"), "topic", "{}"));
      inboxes
          .getInbox("tenant-b")
          .enqueue(InboundMessage.of(new InboxKey("shop", "of-b"), "topic", "{}"));

      await().atMost(Duration.ofSeconds(60)).until(() -> chosen.size() == 2);
      assertThat(chosen).containsExactlyInAnyOrder("of-a", "of-b");
      InboxKey ofB = new InboxKey("shop", "of-b");
      assertThat(requireNonNull(inboxes.getWorkStores().get("tenant-b")).get(ofB)).isPresent();
      assertThat(requireNonNull(inboxes.getWorkStores().get("tenant-a")).get(ofB)).isEmpty();
    }
  }

  @Test
  @Spec({"IBX-085", "IBX-089", "IBX-091", "IBX-092", "IBX-123", "IBXU-08"})
  @SuppressWarnings("NullAway")
  void eachKeyHasItsOwnInbox() throws Exception {
    a.execute("CREATE TABLE ledger (message_id VARCHAR(100))");
    b.execute("CREATE TABLE ledger (message_id VARCHAR(100))");
    UUID key = UUID.randomUUID();
    try (JdbcInboxes inboxes =
        JdbcInboxes.builder()
            .database("tenant-a", a.dataSource())
            .database(key.toString(), b.dataSource())
            .createSchema()
            .transactionalHandler(
                TransactionalInboxHandler.of(
                    "topic",
                    (message, connection) -> {
                      try (PreparedStatement insert =
                          connection.prepareStatement("INSERT INTO ledger VALUES (?)")) {
                        insert.setString(1, message.messageId());
                        insert.executeUpdate();
                      }
                    }))
            .start()) {
      Inbox ofA = inboxes.getInbox("tenant-a");
      Inbox ofB = inboxes.getInbox(key);
      assertThat(inboxes.getInbox("tenant-a")).isSameAs(ofA).isNotSameAs(ofB);

      assertThat(ofA.receive(new InboxKey("shop", "1"), "topic", "{}").isNew()).isTrue();
      assertThat(ofB.receive(new InboxKey("shop", "1"), "topic", "{}").isNew()).isTrue();
      assertThat(ofB.receive(new InboxKey("shop", "1"), "topic", "{}").isNew()).isFalse();

      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () ->
                  ofA.alreadyProcessed(new InboxKey("shop", "1"), null)
                      && ofB.alreadyProcessed(new InboxKey("shop", "1"), null));
      assertThatThrownBy(() -> inboxes.getInbox("unknown"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("unknown");
      for (String empty : new String[] {null, ""}) {
        assertThatThrownBy(() -> inboxes.getInbox(empty))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("routingKey");
      }
    }
    assertThat(count(a, "ledger")).isEqualTo(1);
    assertThat(count(b, "ledger")).isEqualTo(1);
  }

  @Test
  @Spec({"IBX-086", "IBX-093", "IBX-094", "IBX-095", "IBX-096", "IBX-097"})
  void inboxesComeAndGoWithTheirDatabases() {
    assertThat(OutboxDatabaseDiscovery.DEFAULT_INTERVAL).isEqualTo(Duration.ofMinutes(5));
    Set<String> chosen = ConcurrentHashMap.newKeySet();
    OutboxSelectionStrategy drainFirst = new DrainFirstOutboxSelectionStrategy();
    List<OutboxDatabase> present = new CopyOnWriteArrayList<>();
    present.add(OutboxDatabase.of("a", a.dataSource()));
    try (JdbcInboxes inboxes =
        JdbcInboxes.builder()
            .discovery(() -> present)
            .discoveryInterval(Duration.ofMillis(20))
            .strategy(
                (stores, due) -> {
                  OutboxStore store = drainFirst.select(stores, due);
                  chosen.add(store.identifier());
                  return store;
                })
            .createSchema()
            .handler(
                InboxHandler.of("topic", (message, context) -> handled.add(message.messageId())))
            .start()) {
      Inbox ofA = inboxes.getInbox("a");
      present.add(OutboxDatabase.of("b", b.dataSource()));
      await().atMost(Duration.ofSeconds(60)).until(() -> isThere(inboxes, "b"));
      inboxes.getInbox("b").receive(new InboxKey("shop", "of b"), "topic", "{}");
      await().atMost(Duration.ofSeconds(60)).until(() -> handled.contains("of b"));
      assertThat(inboxes.getInbox("a")).isSameAs(ofA);
      assertThat(chosen).contains("a", "b");

      present.remove(0);
      await().atMost(Duration.ofSeconds(60)).until(() -> !isThere(inboxes, "a"));
    }
  }

  @Test
  @Spec({"IBX-098", "IBX-100", "IBX-101"})
  void oneCleanupServesAllDatabasesAndOneThatIsDownKeepsNoOther() {
    try (JdbcInboxes inboxes =
        JdbcInboxes.builder()
            .database("down", "jdbc:h2:tcp://localhost:1/nothing", "sa", "")
            .database("a", a.dataSource())
            .database("b", b.dataSource())
            .createSchema()
            .retention(
                Retention.keepForever().completed(Duration.ZERO).interval(Duration.ofMillis(20)))
            .handler(
                InboxHandler.of("topic", (message, context) -> handled.add(message.messageId())))
            .start()) {
      inboxes.getInbox("a").receive(new InboxKey("shop", "of a"), "topic", "{}");
      inboxes.getInbox("b").receive(new InboxKey("shop", "of b"), "topic", "{}");

      await().atMost(Duration.ofSeconds(60)).until(() -> handled.size() == 2);
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> count(a, "outbox_inbox") + count(b, "outbox_inbox") == 0);
    }
  }

  /** Sixteen seconds after its fourth failure. */
  @Test
  @Spec({"IBX-080", "IBX-081"})
  void theBackoffIsThatOfASingleInbox() throws Exception {
    InboxSchema.of(a.dataSource()).deploy();
    try (JdbcInbox intake = JdbcInbox.builder(a.dataSource()).buildWithoutStart()) {
      intake.receive(new InboxKey("shop", "1"), "topic", "{}");
    }
    a.execute("UPDATE outbox_inbox SET attempts = 3");
    try (JdbcInboxes inboxes =
        JdbcInboxes.builder()
            .database("a", a.dataSource())
            .handler(
                "topic",
                (message, context) -> {
                  throw new IllegalStateException("not now");
                })
            .start()) {
      assertThat(inboxes.getWorkStores()).containsOnlyKeys("a");
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> count(a, "outbox_inbox WHERE attempts = 4") == 1);

      assertThat(count(a, "outbox_inbox WHERE available_at > " + in(16))).isZero();
      assertThat(count(a, "outbox_inbox WHERE available_at > " + in(8))).isEqualTo(1);
    }
  }

  private static String in(int seconds) {
    return "DATEADD(SECOND, " + seconds + ", CURRENT_TIMESTAMP)";
  }

  @Test
  @Spec({"IBX-090", "IBX-113"})
  void whateverHappensToAMessageIsLoggedWithItsStore() {
    try (Lines log = new Lines();
        JdbcInboxes inboxes =
            JdbcInboxes.builder()
                .database("store-a", a.dataSource())
                .createSchema()
                .handler(
                    "topic",
                    (message, context) -> {
                      throw new PermanentFailureException("never");
                    })
                .start()) {
      Inbox inbox = inboxes.getInbox("store-a");
      inbox.alreadyProcessed(new InboxKey("shop", "1"), null);
      inbox.receive(
          InboundMessage.of(new InboxKey("shop", "1"), "topic", "{}").withHash(new byte[] {1}));
      inbox.receive(
          InboundMessage.of(new InboxKey("shop", "1"), "topic", "{}").withHash(new byte[] {2}));
      inboxes.getWorkStore("store-a").reapExpired();
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> log.texts.stream().anyMatch(text -> text.contains("event dead")));

      for (String line :
          List.of(
              "FINE checked processed=false",
              "FINE inbound received as new",
              "WARNING content differs",
              "INFO expired leases cleared count=0",
              "FINE claimed count=1",
              "FINE handling topic=topic source=shop messageId=1",
              "SEVERE listener failed source=shop messageId=1",
              "SEVERE event dead")) {
        assertThat(log.texts)
            .filteredOn(text -> text.startsWith(line))
            .as(line)
            .isNotEmpty()
            .allMatch(text -> text.contains(" store=store-a"));
      }
    }
  }

  /** Collects what is logged, with its level. */
  private static final class Lines extends Handler implements AutoCloseable {
    private final List<String> texts = new CopyOnWriteArrayList<>();
    private final Logger logger = Logger.getLogger("outbox");

    Lines() {
      setLevel(Level.ALL);
      logger.setLevel(Level.ALL);
      logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord record) {
      texts.add(record.getLevel() + " " + new SimpleFormatter().formatMessage(record));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      logger.removeHandler(this);
      logger.setLevel(null);
    }
  }

  @Test
  @Spec({"IBX-052", "IBX-085"})
  void workersOfTheirOwnClaimFromTheDatabaseTheyName() {
    try (JdbcInboxes inboxes =
        JdbcInboxes.builder()
            .database("a", a.dataSource())
            .database("b", b.dataSource())
            .createSchema()
            .config(new OutboxConfig().setRetryMaxAttempts(1))
            .start()) {
      inboxes.getInbox("a").receive(new InboxKey("shop", "1"), "topic", "{}");
      OwnerToken me = OwnerToken.random();
      Duration lease = Duration.ofMinutes(1);

      assertThat(inboxes.getWorkStore("b").claim(me, lease, 10)).isEmpty();
      List<InboxMessage> claimed = inboxes.getWorkStore("a").claim(me, lease, 10);

      assertThat(claimed).hasSize(1);
      assertThat(inboxes.getWorkStore("a").abandon(me, claimed)).hasSize(1);
      assertThat(inboxes.getWorkStore("a").get(new InboxKey("shop", "1")).orElseThrow().status())
          .isEqualTo(InboxStatus.DEAD);
      assertThatThrownBy(() -> inboxes.getWorkStore("unknown"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("unknown");
    }
  }

  @Test
  @Spec("IBX-102")
  void whatAHandlerPublishesToTheOutboxOfItsDatabaseJoinsItsTransaction() throws Exception {
    List<String> sent = new CopyOnWriteArrayList<>();
    try (JdbcOutboxes outboxes =
            JdbcOutboxes.builder()
                .database("a", a.dataSource())
                .createSchema()
                .listener("accepted", event -> sent.add(event.payloadJson()))
                .start();
        JdbcInboxes inboxes =
            JdbcInboxes.builder()
                .database("a", a.dataSource())
                .createSchema()
                .publishingTo(outboxes)
                .retries(Retries.of(attempts -> 1))
                .transactionalHandler(
                    "placed",
                    (message, connection) -> {
                      outboxes.getOutbox("a").enqueue("accepted", message.attempt() + "");
                      if (message.attempt() == 0) {
                        throw new IllegalStateException("once more");
                      }
                    })
                .start()) {
      inboxes.getInbox("a").receive(new InboxKey("shop", "1"), "placed", "{}");

      await().atMost(Duration.ofSeconds(60)).until(() -> !sent.isEmpty());
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> count(a, "outbox_inbox WHERE status = 1") == 1);
      assertThat(count(a, "outbox_event")).isEqualTo(1);
      assertThat(sent).containsExactly("1");
    }
  }

  @Test
  void whatIsPropagatedGoesFromTheReceiptToTheHandler() {
    Propagation trace =
        new Propagation() {
          @Override
          public Map<String, String> headers(String topic) {
            return Map.of("trace", "of " + topic);
          }
        };
    try (JdbcInboxes inboxes =
        JdbcInboxes.builder()
            .database("a", a.dataSource())
            .createSchema()
            .propagation(trace)
            .handler("topic", (message, context) -> handled.add(message.headers().get("trace")))
            .start()) {
      inboxes.getInbox("a").receive(new InboxKey("shop", "1"), "topic", "{}");

      await().atMost(Duration.ofSeconds(60)).until(() -> handled.contains("of topic"));
    }
  }

  private static boolean isThere(JdbcInboxes inboxes, String key) {
    try {
      inboxes.getInbox(key);
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  private static int count(TestDatabase database, String from) throws Exception {
    try (var connection = database.dataSource().getConnection();
        var statement = connection.createStatement();
        var row = statement.executeQuery("SELECT COUNT(*) FROM " + from)) {
      row.next();
      return row.getInt(1);
    }
  }
}
