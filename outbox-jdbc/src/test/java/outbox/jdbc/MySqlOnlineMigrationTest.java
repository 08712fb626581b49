package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.Statement;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import outbox.jdbc.db.Product;

/** What a migration on MySQL does while a transaction reads the table. */
class MySqlOnlineMigrationTest extends MariaDbOnlineMigrationTest {
  @Override
  Product product() {
    return Product.MYSQL;
  }

  /** It needs the table alone for a moment at its end, and tries again until it gets it. */
  @Override
  @Test
  void anIndexIsNotBuiltInVainWhileAReaderIsOpen() throws Exception {
    database.execute("DROP INDEX outbox_event_key ON outbox_event");
    Future<?> deployed;
    try (Connection reader = database.dataSource().getConnection();
        Statement statement = reader.createStatement()) {
      reader.setAutoCommit(false);
      statement.execute("SELECT COUNT(*) FROM outbox_event");
      long begun = status("Com_create_index");
      deployed = node.submit(() -> schema().deploy());
      await().atMost(PATIENCE).until(() -> status("Com_create_index") > begun + 1);
      assertThat(schema().check().missing()).containsExactly("index outbox_event_key");
      reader.rollback();
    }
    deployed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(schema().check().isUsable()).isTrue();
  }
}
