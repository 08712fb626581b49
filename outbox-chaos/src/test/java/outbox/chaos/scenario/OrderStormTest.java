package outbox.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;

/**
 * Events in order from 16 publishers in three processes, with one hot key, while listeners fail,
 * one process is killed and another stopped for longer than its lease: no event begins before the
 * one before it has been handled, and none is left.
 *
 * <p>3,000 events of 200 keys; a million of 10,000 with {@code -Doutbox.chaos=full}, on H2 in one
 * process 100,000.
 */
@Tag("slow")
class OrderStormTest {
  private static final int KEYS = Chaos.events(200, 10_000);
  private static final int EVENTS = Chaos.events(3_000, 1_000_000);
  private static final int EVENTS_ON_H2 = Chaos.events(3_000, 100_000);
  private static final Duration PATIENCE = Duration.ofMinutes(Chaos.events(5, 60));

  @TempDir Path directory;
  private final List<Node> nodes = new ArrayList<>();

  @AfterEach
  void killNodes() {
    nodes.forEach(Node::close);
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES_NEWEST", "MARIADB", "MYSQL"})
  void noEventBeginsBeforeItsPredecessorHasEnded(Product product) throws Exception {
    try (TestDatabase database = TestDatabase.create(product)) {
      OutboxSchema.of(database.dataSource()).deploy();
      OrderLoad.create(database, KEYS);
      Node first = node("first", database, 6, EVENTS / 3);
      Node killed = node("killed", database, 5, EVENTS);
      Node stopped = node("stopped", database, 5, EVENTS / 3);
      for (Node node : nodes) {
        node.awaitReady();
      }
      for (Node node : nodes) {
        node.publish();
      }
      awaitPublished(database.dataSource(), EVENTS / 4);
      killed.kill();
      Node heir = node("heir", database, 5, EVENTS / 3);
      heir.awaitReady();
      heir.publish();
      awaitPublished(database.dataSource(), EVENTS / 2);
      stopped.signal("STOP");
      int before = number(database.dataSource(), "SELECT SUM(version) FROM progress");
      await()
          .atMost(PATIENCE)
          .pollDelay(OrderNodeMain.LEASE.multipliedBy(2))
          .until(() -> number(database.dataSource(), "SELECT SUM(version) FROM progress") > before);
      stopped.signal("CONT");
      for (Node node : List.of(first, stopped, heir)) {
        await().atMost(PATIENCE).until(() -> node.log().contains(NodeMain.PUBLISHED));
      }
      requireOrder(product, database.dataSource());
      for (Node node : List.of(first, stopped, heir)) {
        node.finish();
      }
    }
  }

  @Test
  void noEventBeginsBeforeItsPredecessorHasEndedInOneProcess() throws Exception {
    try (TestDatabase database = TestDatabase.create(Product.H2);
        HikariDataSource pool = TestDatabase.pool(database.url())) {
      OutboxSchema.of(database.dataSource()).deploy();
      OrderLoad.create(database, KEYS);
      OrderLoad load = new OrderLoad(pool, KEYS);
      try (JdbcOutbox outbox = OrderNodeMain.outbox(pool, "only", load)) {
        load.publish(outbox, 16, EVENTS_ON_H2);
        requireOrder(Product.H2, database.dataSource());
      }
    }
  }

  private static void requireOrder(Product product, DataSource database) throws SQLException {
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              assertNoViolation(database);
              return number(
                          database, "SELECT COUNT(*) FROM outbox_event WHERE status NOT IN (1, 3)")
                      == 0
                  && number(database, "SELECT COUNT(*) FROM outbox_event_ordered") == 0;
            });
    assertNoViolation(database);
    assertThat(
            number(
                database,
                "SELECT COUNT(*) FROM account JOIN progress ON progress.id = account.id"
                    + " WHERE progress.version <> account.version"))
        .as("accounts whose changes were not all handled")
        .isZero();
    int published = number(database, "SELECT SUM(version) FROM account");
    assertThat(number(database, "SELECT COUNT(*) FROM outbox_event")).isEqualTo(published);
    Chaos.report(
        String.format(
            "order on %s: %d events of %d keys, %d of the hot one, %d dead",
            product,
            published,
            KEYS,
            number(database, "SELECT version FROM account WHERE id = 0"),
            number(database, "SELECT COUNT(*) FROM outbox_event WHERE status = 3")));
  }

  private static void assertNoViolation(DataSource database) throws SQLException {
    assertThat(number(database, "SELECT COUNT(*) FROM violation"))
        .as("events that began before their predecessor had been handled")
        .isZero();
  }

  private static void awaitPublished(DataSource database, int events) {
    await()
        .atMost(PATIENCE)
        .until(() -> number(database, "SELECT SUM(version) FROM account") >= events);
  }

  private Node node(String name, TestDatabase database, int publishers, int changes)
      throws Exception {
    Node node =
        Node.start(
            OrderNodeMain.class,
            directory.resolve(name + ".log"),
            OrderNodeMain.arguments(name, database, KEYS, publishers, changes));
    nodes.add(node);
    return node;
  }

  private static int number(DataSource database, String sql) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getInt(1);
    }
  }
}
