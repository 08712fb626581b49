package outbox.jdbc.internal.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Properties;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.routing.OutboxDatabase;

/** What a driver is given with a URL. This one stands for MySQL's and connects to an H2. */
class UrlConnectionsTest {
  private static final String URL = "jdbc:mysql://host/shop";

  private final TestDatabase database = TestDatabase.create(Product.H2);
  private final Recorder driver = new Recorder();

  @BeforeEach
  void register() throws SQLException {
    DriverManager.registerDriver(driver);
  }

  @AfterEach
  void deregister() throws SQLException {
    DriverManager.deregisterDriver(driver);
    database.close();
  }

  @Test
  void anAttemptToConnectEndsAfterAFewSeconds() throws SQLException {
    assertThat(given(OutboxDatabase.of("one", URL))).containsExactly("connectTimeout=5000");
  }

  @ParameterizedTest
  @ValueSource(strings = {"?connectTimeout=70", "?CONNECTTIMEOUT=70", "?a=b&connectTimeout=70"})
  void whatTheUrlSaysHolds(String settings) throws SQLException {
    assertThat(given(OutboxDatabase.of("one", URL + settings))).isEmpty();
  }

  @Test
  void userAndPasswordGoAlong() throws SQLException {
    assertThat(given(OutboxDatabase.of("one", URL, "rita", "secret")))
        .containsExactlyInAnyOrder("connectTimeout=5000", "user=rita", "password=secret");
  }

  private Iterable<String> given(OutboxDatabase configured) throws SQLException {
    try (Connection connection = UrlConnections.of(configured).getConnection()) {
      assertThat(connection.isValid(1)).isTrue();
    }
    return driver.given.entrySet().stream().map(Object::toString).toList();
  }

  private final class Recorder implements Driver {
    private Properties given = new Properties();

    @Override
    public @Nullable Connection connect(String url, Properties info) throws SQLException {
      if (!acceptsURL(url)) {
        return null;
      }
      given = info;
      return database.connect();
    }

    @Override
    public boolean acceptsURL(String url) {
      return url.startsWith(URL);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
      return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
      return 1;
    }

    @Override
    public int getMinorVersion() {
      return 0;
    }

    @Override
    public boolean jdbcCompliant() {
      return false;
    }

    @Override
    public Logger getParentLogger() {
      return Logger.getGlobal();
    }
  }
}
