package outbox.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.contracts.support.Spec;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.SqlDialect;

/** The command on real databases, where exit codes matter in a process of its own. */
@Tag("slow")
class SchemaCommandTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir Path directory;

  @Test
  @Spec({"IDEM-60", "IDEM-62"})
  void worksOnH2InAProcessOfItsOwn() throws Exception {
    String url = "jdbc:h2:" + directory.resolve("outbox");
    DriverManager.getConnection(url, "sa", "").close();
    Path secret = Files.writeString(directory.resolve("secret"), "\n");
    List<String> database =
        List.of("--url", url, "--user", "sa", "--password-file", secret.toString());
    upgrades(
        (verb, more) -> outbox(verb, database, more),
        () -> DriverManager.getConnection(url, "sa", ""),
        "TINYINT",
        "TIMESTAMP(6) WITH TIME ZONE");
  }

  @Test
  @Spec({"IDEM-60", "IDEM-62"})
  void worksOnPostgres() throws Exception {
    try (TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST)) {
      upgrades(here(database), database.dataSource()::getConnection, "SMALLINT", "TIMESTAMPTZ(6)");
    }
  }

  @Test
  @Spec({"IDEM-60", "IDEM-62"})
  void worksOnMariaDb() throws Exception {
    try (TestDatabase database = TestDatabase.create(Product.MARIADB)) {
      upgrades(here(database), database.dataSource()::getConnection, "TINYINT", "DATETIME(6)");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MYSQL", "MYSQL_BY_MARIADB_DRIVER"})
  @Spec({"IDEM-60", "IDEM-62"})
  void worksOnMySql(Product product) throws Exception {
    try (TestDatabase database = TestDatabase.create(product)) {
      upgrades(here(database), database.dataSource()::getConnection, "TINYINT", "DATETIME(6)");
    }
  }

  @Test
  void rowsThatCannotBeCountedInTimeAreUnknown() throws Exception {
    try (TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST)) {
      Command outbox = here(database);
      createVersion1(database.dataSource()::getConnection, "SMALLINT", "TIMESTAMPTZ(6)");
      assertThat(outbox.run("migrate").exit()).isZero();
      try (Connection other = database.dataSource().getConnection();
          Statement statement = other.createStatement()) {
        statement.execute("ALTER DATABASE " + database.name() + " SET statement_timeout = '2s'");
        other.setAutoCommit(false);
        statement.execute("LOCK TABLE outbox_event IN ACCESS EXCLUSIVE MODE");

        Cli.Result checked = outbox("check", List.of("--url", database.url()));

        assertThat(checked.exit()).as(checked.toString()).isZero();
        assertThat(checked.out())
            .contains("has schema version 5")
            .contains("without an idempotency key: unknown");
        assertThat(checked.err())
            .contains("WARNING rows without an idempotency key are not counted: ")
            .contains("canceling statement due to statement timeout")
            .hasLineCount(1);
        assertThat(outbox.run("check", "--json").out()).contains("\"rowsWithoutKey\":null");
        other.rollback();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "MYSQL"})
  void timesOfVersion1AreConvertedFromTheZoneThatIsNamed(Product product) throws Exception {
    try (TestDatabase database = TestDatabase.create(product)) {
      Command outbox = here(database);
      createVersion1(database.dataSource()::getConnection, "TINYINT", "DATETIME(6)");

      Cli.Result migrated = outbox.run("migrate", "--version1-zone", "Asia/Kolkata");

      assertThat(migrated.exit()).as(migrated.toString()).isZero();
      try (Connection connection = database.dataSource().getConnection();
          Statement statement = connection.createStatement();
          ResultSet row =
              statement.executeQuery("SELECT CAST(created_at AS CHAR) FROM outbox_event")) {
        assertThat(row.next()).isTrue();
        assertThat(row.getString(1)).startsWith("2019-12-31 18:30:00");
      }
    }
  }

  private static Command here(TestDatabase database) {
    Cli cli = Cli.script(database.url());
    return (verb, more) -> cli.run("schema " + verb, more);
  }

  /** The whole roll-out: nothing there, version 1, migrated, finalized. */
  private static void upgrades(Command outbox, Connections connections, String small, String time)
      throws Exception {
    Cli.Result missing = outbox.run("check");
    assertThat(missing.exit()).as(missing.toString()).isEqualTo(1);
    assertThat(missing.out())
        .as(missing.toString())
        .contains("outbox_event is missing")
        .contains("run: outbox schema migrate");
    assertThat(outbox.run("print").out()).contains("CREATE TABLE", "outbox_event_key");
    assertThat(outbox.run("print", "--from", "1").out())
        .contains("idempotency_key")
        .doesNotContain("CREATE TABLE outbox_event (");

    createVersion1(connections, small, time);
    Cli.Result old = outbox.run("check", "--json");
    assertThat(old.exit()).isEqualTo(1);
    assertThat(old.out())
        .contains("\"version\":1", "\"usable\":false", "column outbox_event.idempotency_key")
        .contains("\"command\":\"outbox schema migrate\"");

    assertThat(outbox.run("check", "--joins").out())
        .contains("tables of joins (outbox_join) lack table outbox_join, ");
    Cli.Result migrated = outbox.run("migrate", "--joins", "--inbox");
    assertThat(migrated.exit()).as(migrated.toString()).isZero();
    assertThat(migrated.out())
        .contains("has schema version 5", "without an idempotency key: 0")
        .contains("tables of joins (outbox_join) are complete")
        .contains("table outbox_inbox has schema version 1")
        .contains("outbox schema finalize");
    assertThat(migrated.err()).contains("backfill of keys: 1 of about 1 rows");
    assertThat(outbox.run("print", "--finalize").out()).contains("DROP COLUMN");

    writeAsVersion1(connections, time);
    Cli.Result refused = outbox.run("finalize");
    assertThat(refused.exit()).isEqualTo(1);
    assertThat(refused.err()).contains("error: table outbox_event cannot be finalized", "--force");
    Cli.Result finalized = outbox.run("finalize", "--json", "--force");
    assertThat(finalized.exit()).as(finalized.toString()).isZero();
    assertThat(finalized.out()).contains("\"finalized\":true").startsWith("{");
    assertThat(outbox.run("check", "--joins", "--json").out())
        .contains("\"joins\":{\"table\":\"outbox_join\",\"usable\":true,\"missing\":[]");
    assertThat(outbox.run("check").exit()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void printsWhatLiesInTheJarWithoutADatabase(SqlDialect dialect) throws IOException {
    String name = dialect.name().toLowerCase(Locale.ROOT);
    boolean routines = dialect == SqlDialect.POSTGRESQL || dialect == SqlDialect.SQLSERVER;

    Cli.Result printed = print(name, "--joins", "--inbox");
    assertThat(printed.exit()).as(printed.toString()).isZero();
    assertThat(printed.out())
        .isEqualTo(
            inJar(name, "outbox") + "\n" + inJar(name, "joins") + "\n" + inJar(name, "inbox"));

    Cli.Result only = print(name, "--only", "--joins", "--routines");
    assertThat(only.exit()).isEqualTo(routines ? 0 : 2);
    if (routines) {
      assertThat(only.out())
          .isEqualTo(
              inJar(name, "joins")
                  + "\n"
                  + inJar(name, "routines")
                  + "\n"
                  + inJar(name, "routines-joins"));
    } else {
      assertThat(only.err()).contains("there are no stored routines for", "--routines");
    }
    assertThat(print(name, "--table=shop.events", "--joins=shop.fan_in").out())
        .contains("CREATE TABLE shop.events (", "CREATE TABLE shop.events_schema (")
        .contains("CREATE TABLE shop.fan_in (", "REFERENCES shop.fan_in (join_id)")
        .contains("events_payload", "shop.fan_in_member")
        .doesNotContain("outbox_event", "outbox_join", "shop.events_payload")
        .doesNotContainPattern("shop\\.events_key\\b");
  }

  private static Cli.Result print(String dialect, String... more) {
    return Cli.nowhere().run("schema print --dialect " + dialect, more);
  }

  private static String inJar(String dialect, String script) throws IOException {
    String path = "/outbox/jdbc/schema/" + dialect + "/" + script + ".sql";
    try (InputStream in = requireNonNull(SqlDialect.class.getResourceAsStream(path), path)) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  @Test
  void aWrongCallEndsWithTwoAndAFailureWithOne() throws Exception {
    assertThat(outbox("check", List.of()).exit()).isEqualTo(2);
    assertThat(outbox("check", List.of()).err()).contains("--url");
    Cli.Result unset =
        outbox("check", List.of("--url", "jdbc:h2:mem:x"), "--password-env", "NO_SUCH_VARIABLE");
    assertThat(unset.exit()).isEqualTo(2);
    assertThat(unset.err()).contains("NO_SUCH_VARIABLE is not set");
    Cli.Result unreachable =
        outbox("check", List.of("--url", "jdbc:postgresql://127.0.0.1:1/none"));
    assertThat(unreachable.exit()).isEqualTo(1);
    assertThat(unreachable.err()).startsWith("error: the database cannot be reached");
  }

  @Test
  void noPasswordOfAUrlIsShown() throws Exception {
    for (String url :
        List.of(
            "jdbc:nosuch://db/shop?user=me&password=topsecret&ssl=true",
            "jdbc:nosuch:db;user=me;PWD=topsecret;x=y",
            "jdbc:nosuch://me:topsecret@db/shop",
            "jdbc:nosuch://me:a/topsecret@db/shop",
            "jdbc:nosuch://db/shop?password=a,topsecret",
            "jdbc:postgresql://127.0.0.1:1/none?password=topsecret",
            "jdbc:h2:tcp://localhost:1/none;PASSWORD=topsecret;NO=NO")) {
      Cli.Result failed = outbox("check", List.of("--url", url));
      assertThat(failed.exit()).as(url).isEqualTo(url.startsWith("jdbc:nosuch") ? 2 : 1);
      assertThat(failed.out() + failed.err()).as(url).isNotBlank().doesNotContain("topsecret");
    }
    Cli.Result misspelt = outbox("check", List.of("--url=x", "--ulr=jdbc:h2:x;PASSWORD=topsecret"));
    assertThat(misspelt.exit()).isEqualTo(2);
    assertThat(misspelt.err()).contains("--ulr").doesNotContain("topsecret");
  }

  static void writeAsVersion1(Connections connections, String time) throws SQLException {
    String now = time.startsWith("DATETIME") ? "UTC_TIMESTAMP(6)" : "CURRENT_TIMESTAMP";
    try (Connection connection = connections.open();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "INSERT INTO outbox_event (event_id, event_type, payload, status, available_at,"
              + " created_at) VALUES ('young', 'Old', '{}', 0, "
              + now
              + ", "
              + now
              + ")");
    }
  }

  static void createVersion1(Connections connections, String small, String time)
      throws SQLException {
    try (Connection connection = connections.open();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE outbox_event (event_id VARCHAR(36) PRIMARY KEY, event_type VARCHAR(128) NOT"
              + " NULL, aggregate_type VARCHAR(64), aggregate_id VARCHAR(128), tenant_id"
              + " VARCHAR(64), payload JSON NOT NULL, headers JSON, status "
              + small
              + " NOT NULL, attempts INT DEFAULT 0 NOT NULL, available_at "
              + time
              + " NOT NULL, created_at "
              + time
              + " NOT NULL, done_at "
              + time
              + ", last_error TEXT)");
      statement.execute(
          "CREATE INDEX idx_status_available ON outbox_event(status, available_at, created_at)");
      statement.execute(
          "INSERT INTO outbox_event (event_id, event_type, payload, status, available_at,"
              + " created_at) VALUES ('old', 'Old', '{}', 0, '2020-01-01 00:00:00', '2020-01-01"
              + " 00:00:00')");
    }
  }

  private Cli.Result outbox(String verb, List<String> database, String... more)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(List.of("schema", verb));
    arguments.addAll(database);
    arguments.addAll(List.of(more));
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    Process process =
        new ProcessBuilder(OwnProcess.command(arguments))
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    return new Cli.Result(
        process.exitValue(), Files.readString(out, UTF_8), Files.readString(err, UTF_8));
  }

  /** {@code outbox schema} on a database, in this process or in one of its own. */
  @FunctionalInterface
  private interface Command {
    Cli.Result run(String verb, String... more) throws IOException, InterruptedException;
  }

  @FunctionalInterface
  interface Connections {
    Connection open() throws SQLException;
  }
}
