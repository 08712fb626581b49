package outbox.jdbc.internal.schema;

import java.util.List;
import java.util.stream.IntStream;

/** Turns the statements of a script into the steps of a migration. */
final class ScriptSteps {
  private ScriptSteps() {}

  /** Names each step by the script and its number. */
  static List<MigrationStep> of(String script, List<String> statements) {
    return IntStream.range(0, statements.size())
        .mapToObj(number -> of(script + "." + (number + 1), statements.get(number)))
        .toList();
  }

  private static MigrationStep of(String name, String sql) {
    return IndexSql.matches(sql) ? new IndexStep(name, sql) : new AlterStep(name, sql);
  }
}
