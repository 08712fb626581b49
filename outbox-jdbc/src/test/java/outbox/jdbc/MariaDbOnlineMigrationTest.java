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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;

/** What a migration on MariaDB does while a transaction reads the table. */
class MariaDbOnlineMigrationTest {
  static final Duration PATIENCE = Duration.ofMinutes(2);

  final TestDatabase database = TestDatabase.create(product());
  final ExecutorService node = Executors.newSingleThreadExecutor();

  Product product() {
    return Product.MARIADB;
  }

  @BeforeEach
  void upgrade() {
    Version1.create(database.dataSource());
    schema().migrate(progress -> {});
  }

  @AfterEach
  void drop() {
    node.shutdownNow();
    database.close();
  }

  @Test
  @Spec("IDEM-60")
  void anIndexIsNotBuiltInVainWhileAReaderIsOpen() throws Exception {
    database.execute("DROP INDEX outbox_event_key ON outbox_event");

    isBegunOnlyWhenTheReaderHasEnded("Com_create_index", () -> schema().deploy());

    assertThat(schema().check().isUsable()).isTrue();
  }

  @Test
  @Spec("IDEM-60")
  void theTableIsNotCopiedInVainWhileAReaderIsOpen() throws Exception {
    isBegunOnlyWhenTheReaderHasEnded("Com_alter_table", () -> schema().finalizeUpgrade());

    assertThat(schema().check().finalized()).isTrue();
  }

  private void isBegunOnlyWhenTheReaderHasEnded(String counter, Runnable change) throws Exception {
    Future<?> changed;
    try (Connection reader = database.dataSource().getConnection();
        Statement statement = reader.createStatement()) {
      reader.setAutoCommit(false);
      statement.execute("SELECT COUNT(*) FROM outbox_event");
      long begun = status(counter);
      long tries = status("Com_lock_tables") + begun;
      changed = node.submit(change);
      await().atMost(PATIENCE).until(() -> status("Com_lock_tables") + status(counter) > tries + 1);
      assertThat(status(counter)).isEqualTo(begun);
      reader.rollback();
    }
    changed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  final long status(String counter) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE '" + counter + "'")) {
      row.next();
      return row.getLong(2);
    }
  }

  final OutboxSchema schema() {
    return OutboxSchema.of(database.dataSource());
  }
}
