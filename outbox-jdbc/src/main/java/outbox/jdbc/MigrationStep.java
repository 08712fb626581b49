package outbox.jdbc;

import java.sql.SQLException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** A part of a migration that can be done again, or go on where it stopped, without harm. */
interface MigrationStep {
  Pattern CREATE_INDEX = Pattern.compile("^CREATE (?:UNIQUE )?INDEX (?:IF NOT EXISTS )?(\\S+)");
  Pattern DROP_INDEX = Pattern.compile("^DROP INDEX ");

  /** As it is recorded and shown. */
  String name();

  void run(SchemaSession session, StepLog log, ProgressMeter meter) throws SQLException;

  /** Whether it is still to be done, and writers have to wait meanwhile. */
  default boolean keepsWritersOut(SchemaSession session, SchemaCatalog catalog) {
    return false;
  }

  /** The step for a statement of a script. */
  static MigrationStep of(String name, String sql) {
    return isIndex(sql) ? new IndexStep(name, sql) : new AlterStep(name, sql);
  }

  static boolean isIndex(String sql) {
    return CREATE_INDEX.matcher(sql).find() || DROP_INDEX.matcher(sql).find();
  }

  /** The steps for the statements of a script, named by their numbers. */
  static List<MigrationStep> of(String script, List<String> statements) {
    return IntStream.range(0, statements.size())
        .mapToObj(number -> of(script + "." + (number + 1), statements.get(number)))
        .toList();
  }
}
