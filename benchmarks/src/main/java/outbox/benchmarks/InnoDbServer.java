package outbox.benchmarks;

import com.zaxxer.hikari.util.DriverDataSource;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import javax.sql.DataSource;
import outbox.jdbc.db.EmbeddedMariaDb;
import outbox.jdbc.db.FetchedMySql;
import outbox.jdbc.db.ServerUrl;

/**
 * A MariaDB or MySQL server, started as the tests start theirs but durable, or the server that an
 * environment variable names.
 */
final class InnoDbServer extends Server {
  /** Beside durability, only what keeps checkpoints out of the short rounds. */
  private static final List<String> SETTINGS =
      List.of(
          "innodb-flush-log-at-trx-commit=1",
          "innodb-doublewrite=ON",
          "innodb-buffer-pool-size=512M",
          "max-connections=100");

  private static final List<String> COUNTERS =
      List.of("Com_insert", "Com_update", "Com_delete", "Com_select");

  private final Database database;
  private final ServerUrl url;
  private final String name;
  private final ServerCpu cpu;

  private InnoDbServer(Database database, ServerUrl url, String name) throws SQLException {
    super(dataSource(url, name));
    this.database = database;
    this.url = url;
    this.name = name;
    requireDurable();
    execute("SET GLOBAL innodb_monitor_enable = 'trx_rw_commits'");
    this.cpu =
        ServerCpu.ofPidFile(Path.of(text("SELECT @@datadir")).resolve(text("SELECT @@pid_file")));
  }

  static InnoDbServer start(Database database) throws SQLException {
    ServerUrl url = ServerUrl.given(database.variable()).orElseGet(() -> startServer(database));
    String name = "bench_" + ProcessHandle.current().pid();
    url.execute("CREATE DATABASE " + name + " CHARACTER SET utf8mb4");
    return new InnoDbServer(database, url, name);
  }

  private static ServerUrl startServer(Database database) {
    boolean mysql = database == Database.MYSQL;
    String redo = mysql ? "innodb-redo-log-capacity=4G" : "innodb-log-file-size=4G";
    List<String> options =
        Stream.concat(SETTINGS.stream(), Stream.of(redo)).map(each -> "--" + each).toList();
    return mysql ? FetchedMySql.start(options) : EmbeddedMariaDb.start("utf8mb4", options);
  }

  private static DataSource dataSource(ServerUrl url, String name) {
    return new DriverDataSource(url.of(name), null, new Properties(), null, null);
  }

  /** A server of the tests, or one that a variable names, may lose what it has committed. */
  private void requireDurable() {
    String flush = text("SELECT @@innodb_flush_log_at_trx_commit");
    if (!flush.equals("1")) {
      throw new IllegalStateException("innodb_flush_log_at_trx_commit (" + flush + ") must be 1");
    }
    String doublewrite = text("SELECT @@innodb_doublewrite");
    if (!List.of("1", "ON").contains(doublewrite)) {
      throw new IllegalStateException("innodb_doublewrite (" + doublewrite + ") must be ON");
    }
  }

  @Override
  PlainSql sql() {
    return new InnoDbPlainSql();
  }

  @Override
  TableSql tableSql() {
    return new InnoDbTableSql();
  }

  @Override
  ServerCpu cpu() {
    return cpu;
  }

  @Override
  long logPosition() {
    return status("Innodb_os_log_written");
  }

  @Override
  String logName() {
    return "redo";
  }

  @Override
  String describe() {
    return database.label()
        + ": "
        + text("SELECT VERSION()")
        + " with innodb_flush_log_at_trx_commit="
        + text("SELECT @@innodb_flush_log_at_trx_commit")
        + ", innodb_doublewrite="
        + text("SELECT @@innodb_doublewrite")
        + ", innodb_buffer_pool_size="
        + text("SELECT @@innodb_buffer_pool_size")
        + ", log_bin="
        + text("SELECT @@log_bin")
        + ", sync_binlog="
        + text("SELECT @@sync_binlog")
        + ", "
        + text("SELECT @@transaction_isolation");
  }

  /** It counts always, at no cost to speak of. */
  @Override
  void countStatements(boolean on) {}

  /** Its counters contain the open connections. */
  @Override
  void settle() {}

  @Override
  long statements() {
    return COUNTERS.stream().mapToLong(this::status).sum();
  }

  /** With those of statements that commit by themselves, which Com_commit lacks. */
  @Override
  long commits() {
    return number(
        "SELECT count FROM information_schema.innodb_metrics WHERE name = 'trx_rw_commits'");
  }

  private long status(String variable) {
    return number("SHOW GLOBAL STATUS LIKE '" + variable + "'", 2);
  }

  @Override
  DataSource dataSource(String other) {
    return dataSource(url, other);
  }

  @Override
  public void close() throws SQLException, IOException {
    super.close();
    url.execute("DROP DATABASE " + name);
  }
}
