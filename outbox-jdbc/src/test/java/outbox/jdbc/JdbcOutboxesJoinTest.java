package outbox.jdbc;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxConfig;
import outbox.OutboxHandler;
import outbox.contracts.support.Spec;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.MessageId;

/** Joins of many databases in one process, each of another product. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class JdbcOutboxesJoinTest {
  private final Map<String, TestDatabase> databases = new LinkedHashMap<>();
  private final List<String> reached = new CopyOnWriteArrayList<>();

  @BeforeEach
  void create() {
    Stream.of(
            Product.H2,
            Product.MARIADB,
            Product.MYSQL,
            Product.POSTGRES_OLDEST,
            Product.POSTGRES_NEWEST)
        .filter(Product::isThere)
        .forEach(product -> databases.put(product.name(), TestDatabase.create(product)));
  }

  @AfterEach
  void drop() {
    databases.values().forEach(TestDatabase::close);
  }

  @Test
  @Spec({"OBXU-08", "JOINU-04"})
  void theOutboxOfEachDatabaseHasTheJoinsOfItsDatabase() throws SQLException {
    try (JdbcOutboxes outboxes = started()) {
      Map<String, JoinIdentifier> started = new LinkedHashMap<>();
      databases.keySet().forEach(key -> started.put(key, start(outboxes.getOutbox(key), key)));

      await()
          .atMost(Duration.ofMinutes(2))
          .untilAsserted(
              () -> assertThat(reached).containsExactlyInAnyOrderElementsOf(databases.keySet()));
      started.forEach(
          (key, join) ->
              assertThat(outboxes.getOutbox(key).joins().find(join).orElseThrow().status())
                  .isEqualTo(JoinStatus.COMPLETED));
      assertThat(outboxes.getOutbox("H2").joins().find(requireNonNull(started.get("MARIADB"))))
          .isEmpty();
    }
    for (TestDatabase database : databases.values()) {
      assertThat(topics(database)).containsExactly("fan.wait", "next", "step", "step");
    }
  }

  @Test
  @Spec("OBX-089")
  void aMessageOfAnotherDatabaseCannotBeAttached() {
    try (JdbcOutboxes outboxes = started()) {
      JoinIdentifier join = outboxes.getOutbox("H2").joins().startJoin("tenant", 1, null);
      MessageId foreign = outboxes.getOutbox("MARIADB").enqueue("nobody", "{}").id();

      assertThatThrownBy(() -> outboxes.getOutbox("H2").joins().attach(join, foreign))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("does not exist");
    }
  }

  @Test
  void withoutJoinsTheirOperationsAreRefused() {
    try (JdbcOutboxes outboxes =
        JdbcOutboxes.builder().createSchema().database("H2", h2()).start()) {
      assertThatThrownBy(() -> outboxes.getOutbox("H2").joins().startJoin("tenant", 1, null))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("joins");
    }
    assertThatThrownBy(
            () ->
                JdbcOutboxes.builder()
                    .database("H2", h2())
                    .stores(() -> JdbcOutboxRepository.builder().deleteWhenDone(true).build())
                    .joins()
                    .start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("deleteWhenDone (true) excludes joins()");
  }

  private DataSource h2() {
    return requireNonNull(databases.get("H2")).dataSource();
  }

  /** Nothing is found by polling: every step of the way is woken. */
  private JdbcOutboxes started() {
    JdbcOutboxes.Builder builder =
        JdbcOutboxes.builder()
            .createSchema()
            .joins(() -> new JdbcJoinStore().joinTableName("fan_in").waitTopic("fan.wait"))
            .config(
                new OutboxConfig()
                    .setPollerBatchSize(50)
                    .setPollerIntervalMs(Duration.ofMinutes(10).toMillis()))
            .handler(OutboxHandler.of("step", (message, context) -> {}))
            .handler(
                OutboxHandler.of("next", (message, context) -> reached.add(message.payload())));
    databases.forEach((key, database) -> builder.database(key, database.dataSource()));
    return builder.start();
  }

  private static JoinIdentifier start(Outbox outbox, String key) {
    JoinIdentifier join = outbox.joins().startJoin(key, 2, null);
    outbox.joins().enqueueJoinWait(join, true, "next", key);
    outbox.joins().enqueueStep(join, EventEnvelope.ofJson("step", "{}"));
    MessageId second = outbox.enqueue("step", "{}").id();
    outbox.joins().attach(join, second);
    return join;
  }

  private static List<String> topics(TestDatabase database) throws SQLException {
    List<String> topics = new ArrayList<>();
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT event_type FROM outbox_event ORDER BY event_type")) {
      while (row.next()) {
        topics.add(row.getString(1));
      }
    }
    return topics;
  }
}
