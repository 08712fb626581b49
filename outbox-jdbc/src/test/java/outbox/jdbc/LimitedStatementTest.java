package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;
import outbox.spi.StoreException;

/** A statement that outlasts the network timeout of its connection ends in the server first. */
@Tag("slow")
class LimitedStatementTest {
  private static final int NETWORK_TIMEOUT_MILLIS = 4000;

  @ParameterizedTest
  @EnumSource(
      value = Product.class,
      names = {"POSTGRES_NEWEST", "POSTGRES_OLDEST", "MARIADB", "MYSQL", "MYSQL_BY_MARIADB_DRIVER"})
  void isCancelledBehindATableLockAndItsConnectionStaysUsable(Product product) throws Exception {
    JdbcOutboxRepository store = new JdbcOutboxRepository();
    try (TestDatabase database = TestDatabase.create(product)) {
      OutboxSchema.of(database.dataSource()).deploy();
      try (Connection limited = DriverManager.getConnection(database.url())) {
        limited.setNetworkTimeout(Runnable::run, NETWORK_TIMEOUT_MILLIS);
        try (Connection lock = DriverManager.getConnection(database.url())) {
          lockTable(lock, product);
          assertThatThrownBy(() -> store.mayHaveDue(limited)).isInstanceOf(StoreException.class);
          assertThat(limited.isClosed()).isFalse();
          assertThat(limited.isValid(NETWORK_TIMEOUT_MILLIS / 1000)).isTrue();
        }
        assertThat(store.mayHaveDue(limited)).isFalse();
      }
    }
  }

  private static void lockTable(Connection lock, Product product) throws SQLException {
    try (Statement statement = lock.createStatement()) {
      if (product.isInnoDb()) {
        statement.execute("LOCK TABLES outbox_event WRITE");
      } else {
        lock.setAutoCommit(false);
        statement.execute("LOCK TABLE outbox_event IN ACCESS EXCLUSIVE MODE");
      }
    }
  }
}
