package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;

/** Tables of version 1 that were created with whatever the server had by default. */
class MariaDbCollationTest {
  private final JdbcOutboxRepository store = new JdbcOutboxRepository();

  Product product() {
    return Product.MARIADB;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"utf8mb4_general_ci", "utf8mb4_bin", "latin1_swedish_ci", "utf8mb3_general_ci"})
  @Spec({"IDEM-16", "IDEM-60"})
  void keysAreComparedExactlyAndFinalizingConvertsTheRest(String collation) throws SQLException {
    try (TestDatabase database = TestDatabase.create(product());
        Connection connection = database.dataSource().getConnection()) {
      Version1.create(database.dataSource());
      String characters = collation.substring(0, collation.indexOf('_'));
      database.execute(
          "ALTER TABLE outbox_event CONVERT TO CHARACTER SET "
              + characters
              + " COLLATE "
              + collation,
          "ALTER TABLE outbox_event MODIFY payload JSON NOT NULL, MODIFY headers JSON");
      OutboxSchema schema = OutboxSchema.of(database.dataSource());
      schema.migrate(progress -> {});

      assertThat(store.insert(connection, keyed("1", "acme", "k"), null)).isEmpty();
      assertThat(store.insert(connection, keyed("2", "Acme", "k"), null)).isEmpty();
      assertThat(store.insert(connection, keyed("3", "acme", "K"), null)).isEmpty();
      assertThat(store.insert(connection, keyed("4", "Acme", "k"), null)).contains("2");
      assertThat(store.insert(connection, keyed("6", "\u03a9", "k"), null)).isEmpty();
      store.markDead(connection, "6", "\u03a9 was refused");
      schema.finalizeUpgrade();

      assertThat(store.insert(connection, keyed("5", "Acme", "k"), null)).contains("2");
      assertThat(collations(connection)).containsExactly("utf8mb4_bin");
    }
  }

  private static EventEnvelope keyed(String id, String tenant, String key) {
    return EventEnvelope.builder("Type")
        .eventId(id)
        .tenantId(tenant)
        .idempotencyKey(key)
        .payloadJson("{}")
        .build();
  }

  private static Set<String> collations(Connection connection) throws SQLException {
    Set<String> found = new TreeSet<>();
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT collation_name FROM information_schema.columns WHERE table_schema ="
                    + " DATABASE() AND table_name = 'outbox_event' AND collation_name IS NOT"
                    + " NULL")) {
      while (row.next()) {
        found.add(row.getString(1));
      }
    }
    return found;
  }
}
