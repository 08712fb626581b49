package outbox.jdbc.db;

import java.util.List;
import org.opentest4j.TestAbortedException;

/**
 * A MySQL server from the folder that {@code tools/mysql} fetches, or the server of the JDBC URL in
 * the environment variable {@value #URL}, whose user may create databases. The started one's
 * defaults are hostile on purpose, as {@link MariaDbServer}'s are; unlike that one, it rolls back a
 * whole transaction when a lock does not come in time.
 */
final class MySqlServer implements Server {
  static final String URL = "OUTBOX_MYSQL_URL";

  /** The end of ./check counts the tests that were skipped for this reason. */
  static final String NO_SERVER = "there is no MySQL server";

  private final ServerUrl url;

  private MySqlServer(ServerUrl url) {
    this.url = url;
  }

  /** Where there is no server the tests are skipped, with this sentence in the report. */
  static MySqlServer instance() {
    if (!isThere()) {
      throw new TestAbortedException(
          NO_SERVER
              + "; run tools/mysql, which fetches one on Debian, or set "
              + URL
              + " to a server's URL, such as jdbc:mysql://localhost/?user=root, to run the tests on"
              + " MySQL");
    }
    return Holder.INSTANCE;
  }

  static boolean isThere() {
    return System.getenv(URL) != null || FetchedMySql.isThere();
  }

  /** The server as MariaDB's driver reaches it. */
  MySqlServer byMariaDbDriver() {
    return new MySqlServer(
        new ServerUrl(url.before().replace("jdbc:mysql:", "jdbc:mariadb:"), url.after()));
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
    return FetchedMySql.start(
        List.of(
            "--character-set-server=latin1",
            "--default-time-zone=-03:30",
            "--max-connections=300",
            "--performance-schema=OFF",
            "--innodb-rollback-on-timeout=ON",
            "--innodb-buffer-pool-size=64M",
            "--innodb-redo-log-capacity=32M",
            "--innodb-log-writer-threads=OFF",
            "--innodb-doublewrite=OFF",
            "--innodb-flush-log-at-trx-commit=0"));
  }

  private static final class Holder {
    private static final MySqlServer INSTANCE =
        new MySqlServer(ServerUrl.given(URL).orElseGet(MySqlServer::start));
  }
}
