package outbox.jdbc.schema;

import java.sql.Connection;
import java.util.Locale;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.spi.UnsupportedDatabaseException;

/** The databases for which {@link SchemaScript} has scripts. */
public enum SqlDialect {
  POSTGRESQL,
  MARIADB,
  MYSQL,
  H2,
  SQLSERVER;

  /**
   * Returns that of the database at the other end.
   *
   * @throws UnsupportedDatabaseException if the library does not support it
   */
  public static SqlDialect of(Connection connection) {
    return valueOf(Dialects.of(connection).schemaFolder().toUpperCase(Locale.ROOT));
  }

  Dialect dialect() {
    String folder = name().toLowerCase(Locale.ROOT);
    return Dialects.ALL.stream()
        .filter(each -> each.schemaFolder().equals(folder))
        .findFirst()
        .orElseThrow();
  }
}
