package outbox.jdbc.internal.dialect;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import outbox.spi.StoreException;
import outbox.spi.UnsupportedDatabaseException;

/** The databases that are supported. */
public final class Dialects {
  public static final List<Dialect> ALL =
      List.of(
          new PostgresDialect(),
          new MariaDbDialect(),
          new MySqlDialect(),
          new H2Dialect(),
          new SqlServerDialect());

  private static final Logger LOG = System.getLogger("outbox.jdbc.Dialects");

  /** The old versions, with their product, that this process has logged. */
  private static final Set<String> WARNED_OF = ConcurrentHashMap.newKeySet();

  private Dialects() {}

  /**
   * Finds the dialect of the database at the other end.
   *
   * @throws UnsupportedDatabaseException if it is none of those supported
   */
  public static Dialect of(Connection conn) {
    try {
      DatabaseMetaData database = conn.getMetaData();
      return of(database.getDatabaseProductName(), database.getDatabaseProductVersion());
    } catch (SQLException e) {
      throw new StoreException("the database did not say what product it is", e);
    }
  }

  /**
   * Returns product and version of the server. Logs a WARNING if it is older than the oldest
   * supported version; a process does so once for each version, however many stores and schemas
   * ask.
   */
  public static String checkedServer(Connection conn) {
    try {
      String version = conn.getMetaData().getDatabaseProductVersion();
      Dialect dialect = of(conn);
      boolean old =
          ServerVersion.of(version).isOlderThan(ServerVersion.of(dialect.oldestVersion()));
      if (old && WARNED_OF.add(dialect.product() + " " + version)) {
        LOG.log(
            Level.WARNING,
            "unsupported server version: product={0} version={1} oldestSupported={2};"
                + " upgrade the server, statements may fail on it",
            dialect.product(),
            version,
            dialect.oldestVersion());
      }
      return dialect.product() + " " + version;
    } catch (SQLException e) {
      throw new StoreException("the database did not say what product it is", e);
    }
  }

  public static Dialect of(String product, String version) {
    for (Dialect dialect : ALL) {
      if (dialect.recognizes(product, version)) {
        return dialect;
      }
    }
    throw new UnsupportedDatabaseException(
        product, version, ALL.stream().map(Dialect::product).toList());
  }
}
