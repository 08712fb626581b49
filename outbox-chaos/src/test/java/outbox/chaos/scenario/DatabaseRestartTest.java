package outbox.chaos.scenario;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.OutboxConfig;
import outbox.chaos.scenario.Journal.Entry;
import outbox.chaos.scenario.Journal.Fact;
import outbox.jdbc.db.PostgresServer;

/**
 * PostgreSQL is restarted with {@code -m immediate}, which is a crash, in the middle of a load:
 * nothing committed is lost, dispatching goes on by itself, and the log tells of an outage at most
 * once: not at all if the engine's calls only had to wait for a connection.
 *
 * <p>One restart and 8 publishers; five restarts and 16 publishers with {@code
 * -Doutbox.chaos=full}.
 */
@Tag("slow")
class DatabaseRestartTest {
  private static final int RESTARTS = Chaos.isFull() ? 5 : 1;
  private static final int PUBLISHERS = Chaos.isFull() ? 16 : 8;
  private static final int MORE_THAN_FIT_INTO_THE_RUN = 1_000_000;
  private static final int EVENTS_BETWEEN = 500;
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final OutboxConfig CONFIG =
      new OutboxConfig().setLeaseDuration(Duration.ofSeconds(3)).setPollerIntervalMs(500);

  @TempDir Path directory;
  private PostgresServer server;

  @BeforeEach
  void startServer() {
    server = PostgresServer.startOwn();
  }

  @AfterEach
  void stopServer() {
    server.stop();
  }

  @Test
  void losesNothingAndGoesOnByItself() throws Exception {
    String url = server.createDatabase("restarted");
    commitSynchronously(url);
    try (OutageLog log = new OutageLog();
        HikariDataSource truth = LocalNode.pool(url)) {
      Account.open(truth);
      Path journal = directory.resolve("journal");
      try (LocalNode node = LocalNode.start(LocalNode.pool(url), truth, journal, CONFIG)) {
        try (Publishers load = node.publish(PUBLISHERS, MORE_THAN_FIT_INTO_THE_RUN)) {
          for (int restart = 1; restart <= RESTARTS; restart++) {
            node.account().awaitHandled(restart * EVENTS_BETWEEN);
            restartUnderLoad(node.account(), url);
          }
          load.stop();
          load.awaitEnd();
        }
        node.account().awaitAllSettled();
      }
      Account account = new Account(truth, journal);
      account.assertNothingLost();
      account.assertNoneTwice();
      Chaos.report(
          String.format(
              "restart: %d events, %d commits in doubt, %d outages and %d recoveries logged",
              account.stored().size(),
              account.eventIds(Fact.IN_DOUBT).size(),
              log.outages(),
              log.recoveries()));
      assertThat(log.outages()).as(log.toString()).isLessThanOrEqualTo(RESTARTS);
      assertThat(log.recoveries()).as(log.toString()).isEqualTo(log.outages());
    }
  }

  private void restartUnderLoad(Account account, String url) throws Exception {
    Instant begun = Instant.now();
    CompletableFuture<Instant> returned = CompletableFuture.supplyAsync(() -> awaitReturn(url));
    server.restartImmediately();
    Instant back = returned.get(Chaos.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    await().atMost(Chaos.PATIENCE).until(() -> firstHandled(account, back).isPresent());
    Duration gap = Duration.between(back, firstHandled(account, back).orElseThrow());
    await()
        .atMost(Chaos.PATIENCE)
        .ignoreExceptionsInstanceOf(SQLException.class)
        .until(() -> isCompletedSince(account, back));
    Chaos.report(
        String.format(
            "restart: back after %d ms, dispatching again %d ms later",
            Duration.between(begun, back).toMillis(), gap.toMillis()));
    assertThat(gap).isLessThan(LIMIT);
  }

  /** When the first event that was committed after the given instant was handled. */
  private static Optional<Instant> firstHandled(Account account, Instant since) {
    Set<String> published =
        account
            .entries(Fact.COMMITTED)
            .filter(entry -> entry.at().isAfter(since))
            .map(Entry::eventId)
            .collect(toSet());
    return account
        .entries(Fact.HANDLED)
        .filter(entry -> published.contains(entry.eventId()))
        .map(Entry::at)
        .min(Instant::compareTo);
  }

  private static boolean isCompletedSince(Account account, Instant since) throws SQLException {
    String sql = "SELECT event_id FROM outbox_event WHERE done_at > TIMESTAMPTZ '%s' LIMIT 1";
    return !account.ids(sql.formatted(since)).isEmpty();
  }

  /** Sees the database go and come back; returns when the first connection succeeded again. */
  private static Instant awaitReturn(String url) {
    boolean gone = false;
    long limit = System.nanoTime() + Chaos.PATIENCE.toNanos();
    while (System.nanoTime() - limit < 0) {
      try (Connection connection = DriverManager.getConnection(url)) {
        if (gone && connection.isValid(1)) {
          return Instant.now();
        }
      } catch (SQLException e) {
        gone = true;
      }
      LockSupport.parkNanos(1_000_000);
    }
    throw new IllegalStateException("the database did not come back");
  }

  /** The embedded server defaults to asynchronous commits, of which a crash loses the last ones. */
  private static void commitSynchronously(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("ALTER DATABASE restarted SET synchronous_commit = on");
    }
  }
}
