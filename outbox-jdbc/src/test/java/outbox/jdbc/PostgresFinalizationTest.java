package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;

/** The end of an upgrade in a database that ends long statements. */
class PostgresFinalizationTest {

  /** The lock stands for a table that takes long to read. */
  @Test
  @Spec("IDEM-60")
  void readingTheWholeTableMayTakeLongerThanTheDatabaseAllows() throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try (TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST);
        Connection other = database.connect("+00:00");
        Statement statement = other.createStatement()) {
      Version1.create(database.dataSource());
      OutboxSchema schema = OutboxSchema.of(database.dataSource());
      schema.migrate(progress -> {});
      statement.execute("ALTER DATABASE " + database.name() + " SET statement_timeout = '1s'");
      other.setAutoCommit(false);
      statement.execute("LOCK TABLE outbox_event IN ACCESS EXCLUSIVE MODE");

      try (TestDatabase limited = database.as("postgres")) {
        Future<?> finalized =
            executor.submit(() -> OutboxSchema.of(limited.dataSource()).finalizeUpgrade());
        await()
            .atMost(Duration.ofSeconds(60))
            .until(() -> finalized.isDone() || hasWaitedForTwoSeconds(statement));
        other.rollback();
        finalized.get(60, TimeUnit.SECONDS);
      }

      assertThat(schema.check().finalized()).isTrue();
    } finally {
      executor.shutdownNow();
    }
  }

  private static boolean hasWaitedForTwoSeconds(Statement statement) throws SQLException {
    try (ResultSet row =
        statement.executeQuery(
            "SELECT COUNT(*) FROM pg_locks WHERE NOT granted"
                + " AND waitstart < clock_timestamp() - INTERVAL '2 s'")) {
      row.next();
      return row.getInt(1) > 0;
    }
  }
}
