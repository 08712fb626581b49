package outbox.benchmarks;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import outbox.jdbc.db.EmbeddedMariaDb;
import outbox.jdbc.db.FetchedMySql;

/** Where a run takes place. */
enum Database {
  POSTGRESQL("PostgreSQL"),
  MARIADB("MariaDB"),
  MYSQL("MySQL");

  private final String label;

  Database(String label) {
    this.label = label;
  }

  static Database of(String option) {
    return Arrays.stream(values())
        .filter(each -> each.option().equals(option))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "--database ("
                        + option
                        + ") must be one of "
                        + Arrays.stream(values())
                            .map(Database::option)
                            .collect(Collectors.joining(", "))
                        + "; see --help"));
  }

  String label() {
    return label;
  }

  /** What {@code --database} calls it. */
  String option() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The environment variable with the URL of a server of one's own. */
  String variable() {
    return "OUTBOX_" + name() + "_URL";
  }

  void requireServer() {
    boolean there =
        switch (this) {
          case POSTGRESQL -> true;
          case MARIADB -> System.getenv(variable()) != null || EmbeddedMariaDb.isThere();
          case MYSQL -> System.getenv(variable()) != null || FetchedMySql.isThere();
        };
    if (!there) {
      throw new IllegalArgumentException(
          "there is no "
              + label
              + " server"
              + (this == MYSQL
                  ? "; run tools/mysql, which fetches one on Debian, or set "
                  : "; set ")
              + variable()
              + " to the URL of one, such as jdbc:"
              + option()
              + "://localhost/?user=root");
    }
  }

  Server start() throws Exception {
    return this == POSTGRESQL ? PostgresServer.start() : InnoDbServer.start(this);
  }
}
