package outbox.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import outbox.spi.StoreException;

/** The databases that are supported. */
final class Dialects {
  static final List<Dialect> ALL =
      List.of(
          new PostgresDialect(),
          new MariaDbDialect(),
          new MySqlDialect(),
          new H2Dialect(),
          new SqlServerDialect());

  private Dialects() {}

  /**
   * Finds the dialect of the database at the other end.
   *
   * @throws IllegalStateException if it is none of those supported
   */
  static Dialect of(Connection conn) {
    try {
      DatabaseMetaData database = conn.getMetaData();
      return of(database.getDatabaseProductName(), database.getDatabaseProductVersion());
    } catch (SQLException e) {
      throw new StoreException("the database did not say what product it is", e);
    }
  }

  static Dialect of(String product, String version) {
    for (Dialect dialect : ALL) {
      if (dialect.recognizes(product, version)) {
        return dialect;
      }
    }
    throw new IllegalStateException(
        "database "
            + product
            + " "
            + version
            + " is not supported; use one of "
            + ALL.stream().map(Dialect::product).collect(Collectors.joining(", ")));
  }
}
