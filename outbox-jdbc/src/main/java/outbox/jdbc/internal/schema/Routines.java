package outbox.jdbc.internal.schema;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.sql.SqlFile;

/**
 * The stored routines of one table: the work queue for those who speak SQL only. The library does
 * not call them. None where the database has none in our resources.
 */
public final class Routines {
  private static final String INSTALLED = "installed";

  private final Map<String, String> texts = new LinkedHashMap<>();

  private Routines() {}

  public static Routines of(Dialect dialect, TableName table) {
    return of(dialect, table, dialect.now());
  }

  /** The same with another clock than the database's, for tests. */
  public static Routines of(Dialect dialect, TableName table, String now) {
    Routines routines = new Routines();
    if (dialect.hasRoutines()) {
      Map<String, String> file = SqlFile.named("routines/" + dialect.statementFile() + ".sql");
      String version = "%08x".formatted(file.hashCode());
      file.forEach(
          (name, text) ->
              routines.texts.put(
                  name,
                  text.replace("{table}", table.toString())
                      .replace("{schema}", table.schemaPrefix())
                      .replace("{now}", now)
                      .replace("{version}", version)));
    }
    return routines;
  }

  /** What creates or replaces them, in order. Can be run any number of times. */
  public List<String> definitions() {
    return texts.entrySet().stream()
        .filter(text -> !text.getKey().equals(INSTALLED))
        .map(Map.Entry::getValue)
        .toList();
  }

  /** Creates or replaces them unless exactly these are there already. */
  public void deploy(Connection conn) throws SQLException {
    if (texts.isEmpty() || installed(conn)) {
      return;
    }
    try (Statement statement = conn.createStatement()) {
      for (String definition : definitions()) {
        statement.execute(definition);
      }
    }
  }

  private boolean installed(Connection conn) throws SQLException {
    try (Statement statement = conn.createStatement();
        ResultSet found = statement.executeQuery(requireNonNull(texts.get(INSTALLED)))) {
      return found.next();
    }
  }
}
