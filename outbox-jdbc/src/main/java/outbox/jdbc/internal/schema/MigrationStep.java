package outbox.jdbc.internal.schema;

import java.sql.SQLException;

/** A part of a migration that can be done again, or go on where it stopped, without harm. */
interface MigrationStep {
  /** As it is recorded and shown. */
  String name();

  void run(SchemaSession session, StepLog log, MigrationMeter meter) throws SQLException;

  /** Whether the step is still to be done and makes writers wait meanwhile. */
  default boolean keepsWritersOut(SchemaSession session, SchemaCatalog catalog) {
    return false;
  }
}
