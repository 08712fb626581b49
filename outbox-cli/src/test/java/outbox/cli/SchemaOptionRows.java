package outbox.cli;

import static outbox.cli.OptionRow.option;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import outbox.cli.Cli.Result;
import outbox.cli.OptionRow.Option;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;

/** The schema: which tables, and how they are changed. */
final class SchemaOptionRows {
  private static final String CALL =
      "[--table NAME] [--joins[=NAME]] [--inbox[=NAME]] [--routines]`";
  private static final String PRINT =
      "`print` also takes `--dialect DATABASE`, `--only`, and `--from VERSION` or `--finalize`";
  private static final String JSON = "and all but `print` take `--json`";
  private static final String SMALL = "TINYINT";
  private static final String TIME = "TIMESTAMP(6) WITH TIME ZONE";

  private SchemaOptionRows() {}

  static List<OptionRow> rows() {
    List<OptionRow> rows = new ArrayList<>(tables());
    rows.addAll(changes());
    return rows;
  }

  private static List<OptionRow> tables() {
    List<OptionRow> rows = new ArrayList<>();
    Option table = option("SchemaOptions --table", "outbox_event", QueueOptionRows.TABLES);
    Option joins = option("SchemaOptions --joins", "", CALL);
    Option inbox = option("SchemaOptions --inbox", "", CALL);
    for (String verb : List.of("print", "migrate", "check")) {
      rows.add(row(table, verb, "--table=other_event", out("other_event"), false, true));
      rows.add(row(joins, verb, "--joins", out("outbox_join"), false, true));
      rows.add(row(joins, verb, "--joins=other_join", out("other_join"), false, true));
      rows.add(row(inbox, verb, "--inbox", out("outbox_inbox"), false, true));
      rows.add(row(inbox, verb, "--inbox=other_inbox", out("other_inbox"), false, true));
    }
    rows.add(
        row(
            option("Print --dialect", "", PRINT),
            "print",
            "--dialect=sqlserver",
            out("\nGO\n"),
            false,
            true));
    rows.add(
        option("Print --only", "", PRINT)
            .row(
                "schema print --only --inbox",
                set ->
                    out("CREATE TABLE outbox_event (")
                        .apply(
                            Cli.script(url())
                                .run("schema print", set ? "--only" : "--verbose", "--inbox")),
                true,
                false));
    rows.add(
        option("SchemaOptions --routines", "", CALL)
            .row(
                "schema print --dialect postgresql --routines",
                set ->
                    out("CREATE OR REPLACE FUNCTION outbox_event_claim(")
                        .apply(
                            Cli.nowhere()
                                .run(
                                    "schema print --dialect postgresql",
                                    set ? "--routines" : "--verbose")),
                false,
                true));
    rows.add(
        row(
            option("Print --from", "", PRINT),
            "print",
            "--from=1",
            out("CREATE TABLE outbox_event ("),
            true,
            false));
    rows.add(
        row(
            option("Print --finalize", "", PRINT),
            "print",
            "--finalize",
            out("CREATE TABLE outbox_event ("),
            true,
            false));
    return rows;
  }

  private static List<OptionRow> changes() {
    Option jsonOfChange = option("Changing --json", "", JSON);
    Function<Result, Object> isJson = result -> result.out().startsWith("{");
    return List.of(
        row(option("Check --json", "", JSON), "check", "--json", isJson, false, true),
        row(jsonOfChange, "migrate", "--json", isJson, false, true),
        jsonOfChange.row(
            "schema finalize --json",
            set -> isJson.apply(finalized(false, set ? "--json" : "--force")),
            false,
            true),
        option("Changing --rate", "", "`migrate` and `finalize` take `--rate ROWS`")
            .row("schema migrate --rate 1", set -> migratesSlowly("--rate=1"), null, true),
        option("Changing --allow-locking", "", "`migrate` and `finalize` take `--allow-locking`")
            .row(
                "schema migrate --allow-locking",
                set -> migratesLarge(set ? "--allow-locking" : "--verbose"),
                1,
                0),
        option("Migrate --version1-zone", "", "`migrate` takes `--version1-zone ZONE`")
            .row(
                "schema migrate --version1-zone Asia/Kolkata",
                set -> createdAt("--version1-zone=Asia/Kolkata"),
                null,
                "2019-12-31 18:30"),
        option("Finalize --force", "", "`finalize` takes `--force`")
            .row(
                "schema finalize --force",
                set -> finalized(true, set ? "--force" : "--verbose").exit(),
                1,
                0),
        option("Main --verbose", "", "`--verbose` adds the stack trace")
            .row(
                OptionRow::nothing,
                "list --table elsewhere",
                "--verbose",
                OptionRow.err("\tat outbox."),
                false,
                true));
  }

  /** A call on a database that is empty. */
  private static OptionRow row(
      Option option,
      String verb,
      String value,
      Function<Result, Object> look,
      Object usual,
      Object other) {
    return option.row(
        "schema " + verb + " " + value,
        set -> {
          Cli cli = Cli.script(url());
          return look.apply(set ? cli.run("schema " + verb, value) : cli.run("schema " + verb));
        },
        usual,
        other);
  }

  private static String url() {
    return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;USER=sa;IFEXISTS=FALSE";
  }

  private static Function<Result, Object> out(String text) {
    return result -> result.out().contains(text);
  }

  /** Ends the upgrade of a table of version 1, to which an old node may have just written. */
  private static Result finalized(boolean written, String option) throws Exception {
    String url = url();
    SchemaCommandTest.createVersion1(() -> DriverManager.getConnection(url), SMALL, TIME);
    Cli cli = Cli.script(url);
    cli.run("schema migrate");
    if (written) {
      SchemaCommandTest.writeAsVersion1(() -> DriverManager.getConnection(url), TIME);
    }
    return cli.run("schema finalize", option);
  }

  /** Each row of version 1 takes a second. */
  private static Object migratesSlowly(String rate) throws Exception {
    String url = url();
    SchemaCommandTest.createVersion1(() -> DriverManager.getConnection(url), SMALL, TIME);
    SchemaCommandTest.writeAsVersion1(() -> DriverManager.getConnection(url), TIME);
    long begun = System.nanoTime();
    Result migrated = Cli.script(url).run("schema migrate", rate);
    Duration taken = Duration.ofNanos(System.nanoTime() - begun);
    return migrated.exit() == 0 && taken.compareTo(Duration.ofMillis(1_900)) > 0;
  }

  /** A table for whose new indexes MariaDB would keep writers out for long. */
  private static Object migratesLarge(String option) throws Exception {
    try (TestDatabase database = TestDatabase.create(Product.MARIADB)) {
      SchemaCommandTest.createVersion1(
          database.dataSource()::getConnection, "TINYINT", "DATETIME(6)");
      database.execute(
          "INSERT INTO outbox_event (event_id, event_type, payload, status, available_at,"
              + " created_at) SELECT seq, 'Old', '{}', 1, '2020-01-01', '2020-01-01'"
              + " FROM seq_1_to_10001");
      return Cli.script(database.url()).run("schema migrate", option).exit();
    }
  }

  /** When an event of version 1 was stored, after the migration. */
  private static Object createdAt(String zone) throws Exception {
    try (TestDatabase database = TestDatabase.create(Product.MARIADB)) {
      SchemaCommandTest.createVersion1(
          database.dataSource()::getConnection, "TINYINT", "DATETIME(6)");
      Cli.script(database.url()).run("schema migrate", zone);
      try (Connection connection = database.dataSource().getConnection();
          Statement statement = connection.createStatement();
          ResultSet row =
              statement.executeQuery("SELECT CAST(created_at AS CHAR(16)) FROM outbox_event")) {
        row.next();
        return row.getString(1);
      }
    }
  }
}
