package outbox.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.EventEnvelope;
import outbox.OutboxBuilder;
import outbox.chaos.scenario.PoisonNodeMain.Kind;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcInboxStore;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;

/**
 * Messages that halt their JVM among ordinary ones: each poisonous one ends DEAD after the number
 * of processes that its limit allows, and every ordinary one is done.
 *
 * <p>One poisonous message among 30; three of them with {@code -Doutbox.chaos=full}.
 */
@Tag("slow")
class PoisonTest {
  private static final int ORDINARY = 30;
  private static final int POISONOUS = Chaos.events(1, 3);
  private static final int PROCESSES_PER_POISON = 4;
  private static final Duration LEASE = Duration.ofSeconds(4);

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "POSTGRES_NEWEST, OUTBOX",
    "POSTGRES_NEWEST, MANY_DATABASES",
    "POSTGRES_OLDEST, INBOX",
    "MARIADB, OUTBOX",
    "MARIADB, INBOX",
    "MYSQL, OUTBOX",
    "MYSQL, INBOX"
  })
  void theOneThatHaltsTheProcessDiesAndItsNeighboursDoNot(Product product, Kind kind)
      throws Exception {
    String table = kind == Kind.INBOX ? "outbox_inbox" : "outbox_event";
    String topic = kind == Kind.INBOX ? "topic" : "event_type";
    try (TestDatabase database = TestDatabase.create(product)) {
      store(kind, database);
      int processes = 0;
      while (count(database, table + " WHERE status IN (0, 2)") > 0) {
        processes++;
        assertThat(processes).isLessThanOrEqualTo(POISONOUS * PROCESSES_PER_POISON + 1);
        runUntilTheEnd(kind, database, table, processes);
      }

      String dead = table + " WHERE status = 3 AND last_error LIKE 'poisoned%' AND " + topic;
      assertThat(count(database, dead + " = 'poison'")).isEqualTo(POISONOUS);
      assertThat(count(database, table + " WHERE status = 1 AND " + topic + " = 'ordinary'"))
          .isEqualTo(ORDINARY);
      Chaos.report(product + " " + kind + ": " + processes + " processes until all had ended");
    }
  }

  private static void store(Kind kind, TestDatabase database) {
    List<String> topics = new ArrayList<>(Collections.nCopies(ORDINARY, PoisonNodeMain.ORDINARY));
    topics.addAll(Collections.nCopies(POISONOUS, PoisonNodeMain.POISON));
    Collections.shuffle(topics, new Random());
    DataSourceConnectionProvider connections =
        new DataSourceConnectionProvider(database.dataSource());
    if (kind == Kind.INBOX) {
      InboxSchema.of(database.dataSource()).deploy();
      Inbox inbox = Inbox.builder(connections, new JdbcInboxStore()).build();
      for (int i = 0; i < topics.size(); i++) {
        inbox.receive(new InboxKey("test", "message-" + i), topics.get(i), "{}");
      }
    } else {
      OutboxSchema.of(database.dataSource()).deploy();
      OutboxBuilder.of(connections, new JdbcOutboxRepository())
          .build()
          .enqueueAll(topics.stream().map(topic -> EventEnvelope.ofJson(topic, "{}")).toList());
    }
  }

  /** One process, until it halts or nothing is left to do. */
  private void runUntilTheEnd(Kind kind, TestDatabase database, String table, int number)
      throws Exception {
    try (Node node =
        Node.start(
            PoisonNodeMain.class,
            directory.resolve(number + ".log"),
            List.of(kind.name(), database.url(), LEASE.toString()))) {
      node.awaitEndOr(() -> count(database, table + " WHERE status IN (0, 2)") == 0);
    }
  }

  private static int count(TestDatabase database, String from) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM " + from)) {
      row.next();
      return row.getInt(1);
    }
  }
}
