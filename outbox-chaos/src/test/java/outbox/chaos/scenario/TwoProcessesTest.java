package outbox.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.chaos.scenario.Journal.Fact;
import outbox.jdbc.db.TestDatabase;

/**
 * Two processes on one PostgreSQL, eight publishers each: every committed event is handled once,
 * and costs one insert and a small part of a completion. The server itself counts the statements.
 *
 * <p>10,000 events; 100,000 with {@code -Doutbox.chaos=full}. The long form takes the default flush
 * interval, and so needs a machine of its own: a process completes at most once per interval, which
 * is a small part per event only where many events come in an interval.
 */
@Tag("slow")
class TwoProcessesTest {
  private static final int EVENTS = Chaos.events(10_000, 100_000);
  private static final Duration FLUSH_INTERVAL =
      Chaos.isFull() ? NodeSettings.DEFAULT_FLUSH : Duration.ofMillis(100);
  private static final double MOST_COMPLETIONS_PER_EVENT = 0.05;

  @TempDir Path directory;
  private final List<Node> nodes = new ArrayList<>();
  private EmbeddedPostgres server;
  private HikariDataSource pool;

  @BeforeEach
  void startServer() throws Exception {
    server =
        EmbeddedPostgres.builder()
            .setServerConfig("shared_preload_libraries", "pg_stat_statements")
            .setServerConfig("synchronous_commit", "on")
            .start();
    pool = TestDatabase.pool(url());
    Account.open(pool);
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE EXTENSION pg_stat_statements");
    }
  }

  @AfterEach
  void stopAll() throws Exception {
    nodes.forEach(Node::close);
    pool.close();
    server.close();
  }

  @Test
  void everyEventIsHandledOnceForOneInsertAndAShareOfACompletion() throws Exception {
    Node one = node("one");
    Node two = node("two");
    one.awaitReady();
    two.awaitReady();
    Account account =
        new Account(pool, directory.resolve("one.journal"), directory.resolve("two.journal"));
    account.ids("SELECT pg_stat_statements_reset()");

    long start = System.nanoTime();
    one.publish();
    two.publish();
    one.awaitPublished();
    two.awaitPublished();
    account.awaitAllSettled();
    double seconds = (System.nanoTime() - start) / 1e9;
    one.finish();
    two.finish();

    account.assertNothingLost();
    account.assertNoneTwice();
    assertThat(account.eventIds(Fact.COMMITTED)).hasSize(EVENTS);
    int rolledBack = account.eventIds(Fact.ROLLED_BACK).size();
    long completions =
        calls(account, "query LIKE 'UPDATE outbox_event%' AND query NOT LIKE '%lease_expiries%'");
    long inserts = calls(account, "query LIKE 'INSERT INTO outbox_event%'");
    Chaos.report(
        String.format(
            "two processes: %d events in %.1f s, %d rolled back, %d inserts, %d completions"
                + " (%.4f per event), %d claims",
            EVENTS,
            seconds,
            rolledBack,
            inserts,
            completions,
            (double) completions / EVENTS,
            calls(account, "query LIKE '%lease_expiries%'")));
    assertThat(inserts).isEqualTo(EVENTS + rolledBack);
    assertThat((double) completions / EVENTS).isLessThan(MOST_COMPLETIONS_PER_EVENT);
  }

  private Node node(String name) throws Exception {
    Node node =
        Node.start(
            new NodeSettings(
                name,
                url(),
                directory.resolve(name + ".journal"),
                8,
                EVENTS / 2,
                4,
                Duration.ofSeconds(30),
                FLUSH_INTERVAL,
                Duration.ZERO));
    nodes.add(node);
    return node;
  }

  private String url() {
    return server.getJdbcUrl("postgres", "postgres");
  }

  private static long calls(Account account, String which) throws SQLException {
    String sql = "SELECT COALESCE(SUM(calls), 0) FROM pg_stat_statements WHERE " + which;
    return Long.parseLong(account.ids(sql).iterator().next());
  }
}
