package outbox.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.OutboxConfig;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;

/** After an outage a pool still hands out connections that died in it. */
@Tag("slow")
class OutageLogTest {
  @TempDir Path directory;

  @Test
  void deadConnectionsFromThePoolAfterTheRecoveryAreNoFurtherOutages() throws Exception {
    try (OutageLog log = new OutageLog();
        TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST)) {
      Account.open(database.dataSource());
      DeadConnections pool = new DeadConnections(database.url());
      OutboxConfig config = new OutboxConfig().setPollerEnabled(false);
      try (LocalNode node =
          LocalNode.start(pool, database.dataSource(), directory.resolve("journal"), config)) {
        for (int i = 0; i < 2; i++) {
          pool.failNext(2);
          node.publish(1, 1).awaitEnd();
          node.account().awaitAllSettled();
        }
      }
      assertThat(log.outages()).as(log.toString()).isEqualTo(1);
      assertThat(log.recoveries()).as(log.toString()).isEqualTo(1);
    }
  }

  /** Fails the engine's next calls, but not the publishers'. */
  private static final class DeadConnections extends HikariDataSource {
    private final AtomicInteger failures = new AtomicInteger();

    DeadConnections(String url) {
      super(LocalNode.poolConfig(url));
    }

    void failNext(int calls) {
      failures.set(calls);
    }

    @Override
    public Connection getConnection() throws SQLException {
      boolean engine = Thread.currentThread().getName().startsWith("outbox-");
      if (engine && failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new SQLException("this connection has been closed", "08003");
      }
      return super.getConnection();
    }
  }
}
