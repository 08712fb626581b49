package outbox.jdbc.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
class TestDatabaseTest {

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SQLSERVER")
  void everyDatabaseIsItsOwn(Product product) throws SQLException {
    try (TestDatabase first = TestDatabase.create(product);
        TestDatabase second = TestDatabase.create(product)) {
      first.execute("CREATE TABLE t (id INT)");
      second.execute("CREATE TABLE t (id INT)", "INSERT INTO t VALUES (1)");
      try (Connection connection = first.connect("+05:45")) {
        assertThat(connection.isValid(5)).isTrue();
      }
    }
  }

  @Test
  void theOldestAndTheNewestPostgresAreWhatTheySay() throws SQLException {
    assertThat(major(PostgresServer.oldest())).isEqualTo(15);
    assertThat(major(PostgresServer.newest())).isEqualTo(18);
  }

  @Test
  void aRestartedServerForgetsItsSessionsAndKeepsItsData() throws SQLException {
    PostgresServer server = PostgresServer.startOwn();
    try {
      String url = server.createDatabase("kept");
      try (Connection connection = DriverManager.getConnection(url)) {
        server.restartImmediately();
        assertThatThrownBy(() -> connection.createStatement().execute("SELECT 1"))
            .isInstanceOf(SQLException.class);
      }
      try (Connection connection = DriverManager.getConnection(url)) {
        assertThat(connection.isValid(5)).isTrue();
        assertThat(server.killSessions("kept")).isEqualTo(1);
        assertThat(connection.isValid(5)).isFalse();
      }
    } finally {
      server.stop();
    }
  }

  @Test
  void aProxyCutsRefusesAndComesBack() throws SQLException {
    PostgresServer server = PostgresServer.newest();
    try (TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST);
        CuttableProxy proxy = CuttableProxy.to(server.port())) {
      String url = database.url().replace(":" + server.port() + "/", ":" + proxy.port() + "/");
      try (Connection connection = DriverManager.getConnection(url)) {
        assertThat(connection.isValid(5)).isTrue();
        proxy.refuse(true);
        proxy.cut();
        assertThat(connection.isValid(5)).isFalse();
      }
      assertThatThrownBy(() -> DriverManager.getConnection(url)).isInstanceOf(SQLException.class);
      proxy.refuse(false);
      try (Connection connection = DriverManager.getConnection(url)) {
        proxy.stall(true);
        assertThat(connection.isValid(1)).isFalse();
      }
    }
  }

  private static int major(PostgresServer server) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.url("postgres"))) {
      return connection.getMetaData().getDatabaseMajorVersion();
    }
  }
}
