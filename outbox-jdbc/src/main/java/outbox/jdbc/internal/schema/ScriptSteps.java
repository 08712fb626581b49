package outbox.jdbc.internal.schema;

import java.util.List;
import java.util.stream.IntStream;

/** The steps of a migration that the statements of a script are. */
final class ScriptSteps {
  private ScriptSteps() {}

  /** The steps are named by their numbers. */
  static List<MigrationStep> of(String script, List<String> statements) {
    return IntStream.range(0, statements.size())
        .mapToObj(number -> of(script + "." + (number + 1), statements.get(number)))
        .toList();
  }

  private static MigrationStep of(String name, String sql) {
    return IndexSql.matches(sql) ? new IndexStep(name, sql) : new AlterStep(name, sql);
  }
}
