package outbox.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.contracts.support.Spec;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.inbox.ReceiveResult;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcInboxStore;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;

/**
 * Sixteen threads deliver every message three times, in random order, to two processes whose
 * transactional handlers add to a ledger and publish that they did; one process is killed half-way.
 * Ledger and outbox have each message exactly once.
 *
 * <p>3,000 messages; 20,000 with {@code -Doutbox.chaos=full}.
 */
@Tag("slow")
class InboxLedgerTest {
  private static final int MESSAGES = Chaos.events(3_000, 20_000);
  private static final int DELIVERIES = 3;
  private static final int SENDERS = 16;
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final long SEED = 42;

  @TempDir Path directory;
  private final List<Node> nodes = new ArrayList<>();
  private final AtomicInteger fresh = new AtomicInteger();

  @SuppressWarnings("NullAway.Init")
  private TestDatabase database;

  @AfterEach
  void stopAll() {
    nodes.forEach(Node::close);
    if (database != null) {
      database.close();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES_NEWEST", "MARIADB", "MYSQL"})
  @Spec({"IBX-102", "IBX-105", "IBX-106"})
  void eachMessageHasItsEffectsOnceThoughAProcessIsKilled(Product product) throws Exception {
    database = TestDatabase.create(product);
    OutboxSchema.of(database.dataSource()).deploy();
    InboxSchema.of(database.dataSource()).deploy();
    database.execute("CREATE TABLE ledger (message_id VARCHAR(255), payload TEXT)");
    Node doomed = node("doomed");
    Node survivor = node("survivor");
    doomed.awaitReady();
    survivor.awaitReady();
    long start = System.nanoTime();

    ExecutorService senders = Executors.newFixedThreadPool(SENDERS);
    try {
      List<Future<?>> ends = new ArrayList<>();
      for (List<Integer> part : shares()) {
        ends.add(senders.submit(() -> deliver(part)));
      }
      await().atMost(Chaos.PATIENCE).until(() -> count("ledger") >= MESSAGES / 2);
      doomed.kill();
      for (Future<?> end : ends) {
        end.get();
      }
    } finally {
      senders.shutdownNow();
    }
    await().atMost(Chaos.PATIENCE).until(() -> count("outbox_inbox WHERE status = 1") == MESSAGES);
    double seconds = (System.nanoTime() - start) / 1e9;
    survivor.finish();

    assertThat(fresh).hasValue(MESSAGES);
    assertThat(count("ledger")).isEqualTo(MESSAGES);
    assertThat(count("(SELECT DISTINCT message_id, payload FROM ledger) AS entries"))
        .isEqualTo(MESSAGES);
    assertThat(count("outbox_event")).isEqualTo(MESSAGES);
    assertThat(count("(SELECT DISTINCT payload_text FROM outbox_event) AS events"))
        .isEqualTo(MESSAGES);
    Chaos.report(
        String.format(
            "inbox on %s: %d messages, each delivered %d times, in ledger and outbox once, in %.1f s",
            product, MESSAGES, DELIVERIES, seconds));
  }

  private void deliver(List<Integer> numbers) {
    Inbox inbox =
        Inbox.builder(new DataSourceConnectionProvider(database.dataSource()), new JdbcInboxStore())
            .build();
    for (int number : numbers) {
      String payload = "{\"amount\":" + number + "}";
      ReceiveResult result =
          inbox.receive(new InboxKey("bank", "payment-" + number), InboxNodeMain.TOPIC, payload);
      assertThat(result.contentDiffers()).isFalse();
      if (result.isNew()) {
        fresh.incrementAndGet();
      }
    }
  }

  /** All deliveries in random order, dealt out to the senders. */
  private static List<List<Integer>> shares() {
    List<Integer> deliveries = new ArrayList<>();
    for (int i = 0; i < MESSAGES * DELIVERIES; i++) {
      deliveries.add(i % MESSAGES);
    }
    Collections.shuffle(deliveries, new Random(SEED));
    List<List<Integer>> shares = new ArrayList<>();
    int size = (deliveries.size() + SENDERS - 1) / SENDERS;
    for (int from = 0; from < deliveries.size(); from += size) {
      shares.add(deliveries.subList(from, Math.min(from + size, deliveries.size())));
    }
    return shares;
  }

  private Node node(String name) throws Exception {
    Node node =
        Node.start(
            InboxNodeMain.class,
            directory.resolve(name + ".log"),
            List.of(name, database.url(), LEASE.toString()));
    nodes.add(node);
    return node;
  }

  private int count(String from) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM " + from)) {
      row.next();
      return row.getInt(1);
    }
  }
}
