package outbox.jdbc.internal.pool;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.routing.OutboxDatabase;
import outbox.spi.ConnectionProvider;

/**
 * Opens plain connections by a JDBC URL. Where the driver has a setting for it, and the URL does
 * not set it, an attempt to connect ends after a few seconds: a database that does not answer must
 * not hold one of few connections for long.
 */
final class UrlConnections implements ConnectionProvider {
  private final String url;
  private final Properties properties;

  private UrlConnections(String url, Properties properties) {
    this.url = url;
    this.properties = properties;
  }

  static UrlConnections of(OutboxDatabase database) {
    String url = requireNonNull(database.url(), "url");
    Properties properties = new Properties();
    for (Dialect dialect : Dialects.ALL) {
      dialect
          .connectSettings(url)
          .forEach((name, value) -> setUnlessGiven(properties, url, name, value));
    }
    set(properties, "user", database.user());
    set(properties, "password", database.password());
    return new UrlConnections(url, properties);
  }

  private static void setUnlessGiven(Properties properties, String url, String name, String value) {
    if (!url.toLowerCase(Locale.ROOT).contains(name.toLowerCase(Locale.ROOT) + "=")) {
      properties.setProperty(name, value);
    }
  }

  private static void set(Properties properties, String name, @Nullable String value) {
    if (value != null) {
      properties.setProperty(name, value);
    }
  }

  @Override
  public Connection getConnection() throws SQLException {
    return DriverManager.getConnection(url, properties);
  }
}
