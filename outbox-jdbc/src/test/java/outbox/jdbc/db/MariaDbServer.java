package outbox.jdbc.db;

import java.util.List;
import org.opentest4j.TestAbortedException;

/**
 * An embedded MariaDB, or the server of the JDBC URL in the environment variable {@value #URL},
 * whose user may create databases. The embedded one's defaults are hostile on purpose: a character
 * set without Unicode and a time zone unlike UTC, so that what the schema needs must be said by the
 * schema.
 */
final class MariaDbServer implements Server {
  static final String URL = "OUTBOX_MARIADB_URL";

  private final ServerUrl url;

  private MariaDbServer(ServerUrl url) {
    this.url = url;
  }

  /** Tests on a platform without binaries are skipped, with this sentence in the report. */
  static MariaDbServer instance() {
    if (System.getenv(URL) == null && !EmbeddedMariaDb.isThere()) {
      throw new TestAbortedException(
          "there is no embedded MariaDB for "
              + System.getProperty("os.name")
              + " on "
              + System.getProperty("os.arch")
              + "; set "
              + URL
              + " to a server's URL, such as jdbc:mariadb://localhost/?user=root, to run the tests"
              + " on MariaDB");
    }
    return Holder.INSTANCE;
  }

  @Override
  public String createDatabase(String name) {
    url.execute("CREATE DATABASE " + name);
    return url.of(name);
  }

  @Override
  public void dropDatabase(String name) {
    url.execute("DROP DATABASE " + name);
  }

  private static ServerUrl start() {
    return EmbeddedMariaDb.start(
        "latin1",
        List.of(
            "--default-time-zone=-03:30",
            "--max-connections=300",
            "--innodb-flush-log-at-trx-commit=0"));
  }

  private static final class Holder {
    private static final MariaDbServer INSTANCE =
        new MariaDbServer(ServerUrl.given(URL).orElseGet(MariaDbServer::start));
  }
}
