package outbox.jdbc.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The proxy finds the COMMIT of each driver, also the second one of a connection. */
class CuttableProxyTest {

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES_NEWEST", "MARIADB", "MYSQL"})
  void cutsBeforeTheServerGetsTheCommit(Product product) throws Exception {
    assertThat(rowsAfterACut(product, false)).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES_NEWEST", "MARIADB", "MYSQL"})
  void cutsAfterTheServerGotTheCommit(Product product) throws Exception {
    assertThat(rowsAfterACut(product, true)).isEqualTo(2);
  }

  /** Two transactions on one connection, of which the second is cut at its commit. */
  private static int rowsAfterACut(Product product, boolean afterTheServer) throws Exception {
    try (TestDatabase database = TestDatabase.create(product)) {
      database.execute("CREATE TABLE item (id INT)");
      int port = URI.create(database.url().substring("jdbc:".length())).getPort();
      CountDownLatch cut = new CountDownLatch(1);
      try (CuttableProxy proxy = CuttableProxy.to(port, spotters(product))) {
        // Not closed: Connector/J may try a rollback then, which fails on the cut connection.
        Connection connection =
            DriverManager.getConnection(
                database.url().replace(":" + port + "/", ":" + proxy.port() + "/"));
        connection.setAutoCommit(false);
        insert(connection, 1);
        connection.commit();
        insert(connection, 2);
        proxy.cutAtCommit(afterTheServer, cut::countDown);
        assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
        assertThat(cut.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(proxy.disarm()).isFalse();
      }
      return rows(database);
    }
  }

  private static Supplier<@Nullable CommitSpotter> spotters(Product product) {
    return product.isInnoDb() ? CommitSpotter::ofMariaDb : CommitSpotter::ofPostgres;
  }

  private static void insert(Connection connection, int id) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate("INSERT INTO item VALUES (" + id + ")");
    }
  }

  private static int rows(TestDatabase database) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM item")) {
      row.next();
      return row.getInt(1);
    }
  }
}
