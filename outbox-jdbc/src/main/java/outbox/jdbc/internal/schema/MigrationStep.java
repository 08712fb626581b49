package outbox.jdbc.internal.schema;

import java.sql.SQLException;

/** A part of a migration. Running it again is harmless: it continues where it stopped. */
interface MigrationStep {
  /** Returns the name that the log of steps and the progress show. */
  String name();

  void run(SchemaSession session, StepLog log, MigrationMeter meter) throws SQLException;

  /** Returns whether the step is not done yet and makes writers wait while it runs. */
  default boolean keepsWritersOut(SchemaSession session, SchemaCatalog catalog) {
    return false;
  }
}
