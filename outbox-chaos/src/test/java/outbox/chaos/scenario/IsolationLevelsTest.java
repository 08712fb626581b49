package outbox.chaos.scenario;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.OutboxConfig;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;

/**
 * Business transactions above READ COMMITTED, set at the pool and so for the engine's own
 * statements too: publishing works, and what the database refuses to serialize is tried again.
 *
 * <p>1,000 events each; 20,000 with {@code -Doutbox.chaos=full}.
 */
@Tag("slow")
class IsolationLevelsTest {
  private static final int EVENTS = Chaos.events(1_000, 20_000);
  private static final int SMALL_LANE = 20;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"TRANSACTION_REPEATABLE_READ", "TRANSACTION_SERIALIZABLE"})
  void everyEventOfACallerAtThisLevelIsHandledOnce(String level) throws Exception {
    try (TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST)) {
      Account.open(database.dataSource());
      HikariConfig isolated = LocalNode.poolConfig(database.url());
      isolated.setTransactionIsolation(level);
      OutboxConfig claimsToo =
          new OutboxConfig()
              .setLeaseDuration(Duration.ofSeconds(3))
              .setPollerIntervalMs(100)
              .setHotQueueCapacity(SMALL_LANE);
      Path journal = directory.resolve("journal");
      try (LocalNode node =
          LocalNode.start(
              new HikariDataSource(isolated), database.dataSource(), journal, claimsToo)) {
        node.publish(8, EVENTS).awaitEnd();
        node.account().awaitAllSettled();
      }
      Account account = new Account(database.dataSource(), journal);
      account.assertNothingLost();
      account.assertNoneTwice();
      Chaos.report(
          String.format(
              "%s: %d events, %d transactions refused",
              level, EVENTS, account.eventIds(Journal.Fact.IN_DOUBT).size()));
    }
  }
}
