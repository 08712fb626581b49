package outbox.jdbc.db;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.opentest4j.TestAbortedException;
import outbox.contracts.support.SpecRecorder;

/**
 * An empty database of its own on one of the servers, with a pool. A server that cannot start fails
 * the test: nothing is skipped but SQL Server, for which a URL must be given, and MySQL, which must
 * be fetched.
 */
public final class TestDatabase implements AutoCloseable {
  private static final AtomicInteger SEQUENCE = new AtomicInteger();
  private static final int POOL_SIZE = 20;

  private final Product product;
  private final String name;
  private final String url;
  private final boolean created;
  private final HikariDataSource pool;
  private boolean hasOtherDatabase;

  private TestDatabase(Product product, String name, String url, boolean created) {
    this.product = product;
    this.name = name;
    this.url = url;
    this.created = created;
    this.pool = pool(url);
    SpecRecorder.opened(product.label());
  }

  /**
   * Creates an empty database, and starts its server if this is the first. {@code
   * -Doutbox.databases=newest} skips the tests on all but the newest H2 and PostgreSQL; {@code
   * =h2}, {@code =postgresql}, {@code =mariadb} and {@code =mysql} those on all but the newest
   * version of one.
   */
  public static TestDatabase create(Product product) {
    return create(product, "");
  }

  /** Creates an empty database that is entered with options added to its URL: {@code a=1&b=2}. */
  public static TestDatabase create(Product product, String options) {
    String chosen = System.getProperty("outbox.databases", "all");
    if (!product.isAmong(chosen)) {
      throw new TestAbortedException(product + " is left out by -Doutbox.databases=" + chosen);
    }
    String name = "outbox_" + ProcessHandle.current().pid() + "_" + SEQUENCE.incrementAndGet();
    String url = product.server().createDatabase(name);
    return new TestDatabase(product, name, withOptions(url, options), true);
  }

  private static String withOptions(String url, String options) {
    return options.isEmpty() ? url : url + (url.contains("?") ? "&" : "?") + options;
  }

  /** The same database entered as another user of PostgreSQL; closing that drops nothing. */
  public TestDatabase as(String user) {
    return new TestDatabase(product, name, url.replace("user=postgres", "user=" + user), false);
  }

  public Product product() {
    return product;
  }

  public String name() {
    return name;
  }

  /** With user and password. */
  public String url() {
    return url;
  }

  public DataSource dataSource() {
    return pool;
  }

  /** A connection outside of the pool, such as that of a deployment. */
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(url);
  }

  /** A connection whose session is in the given zone, such as +05:30. */
  public Connection connect(String zoneOffset) throws SQLException {
    Connection connection = DriverManager.getConnection(url);
    String setting = product.setTimeZone(zoneOffset);
    if (!setting.isEmpty()) {
      execute(connection, setting);
    }
    return connection;
  }

  public void execute(String... statements) {
    try (Connection connection = pool.getConnection()) {
      for (String sql : statements) {
        execute(connection, sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Creates a second schema, which goes with the database; returns its name. */
  public String createSchema() {
    String schema = name + "_other";
    execute("CREATE SCHEMA " + schema);
    hasOtherDatabase = product.isInnoDb();
    return schema;
  }

  /** Closes the pool and drops the database if it was created here. Closing twice is harmless. */
  @Override
  public void close() {
    if (pool.isClosed()) {
      return;
    }
    SpecRecorder.closed(product.label());
    pool.close();
    if (created) {
      product.server().dropDatabase(name);
    }
    if (hasOtherDatabase) {
      product.server().dropDatabase(name + "_other");
    }
  }

  /** A pool of the same kind for another URL, such as one through a proxy. */
  public static HikariDataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(POOL_SIZE);
    config.setMinimumIdle(0);
    return new HikariDataSource(config);
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
