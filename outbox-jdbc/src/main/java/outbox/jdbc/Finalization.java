package outbox.jdbc;

import java.sql.SQLException;
import java.time.Duration;

/**
 * The last step of an upgrade, for when no node of an older version runs any more: fills in the
 * last rows, requires a key of each, and drops what only version 1 used. Refuses while rows without
 * a key come in, which only an older version writes.
 */
final class Finalization {
  private static final Duration RECENT = Duration.ofMinutes(1);

  private final SchemaSession session;
  private final ProgressMeter meter;
  private final int rowsPerSecond;
  private final SchemaCatalog catalog;

  Finalization(SchemaSession session, ProgressMeter meter, int rowsPerSecond) {
    this.session = session;
    this.meter = meter;
    this.rowsPerSecond = rowsPerSecond;
    this.catalog = new SchemaCatalog(session.connection(), session.dialect(), session.table());
  }

  static boolean isDone(SchemaCatalog catalog) {
    return catalog.requiresKey() && !catalog.columns().contains("payload");
  }

  void run() throws SQLException {
    if (isDone(catalog)) {
      return;
    }
    refuseIf(catalog.youngRowsWithoutKey(RECENT), "of the last " + RECENT);
    session.set(session.dialect().longWaits());
    StepLog log = StepLog.open(session);
    new Backfill(rowsPerSecond).run(session, log, meter);
    refuseIf(catalog.rowsWithoutKey(), "that are locked or new");
    for (MigrationStep step : MigrationStep.of("finalize", session.scripts().finalization())) {
      step.run(session, log, meter);
    }
    log.drop();
  }

  private void refuseIf(long rows, String which) {
    if (rows > 0) {
      throw new IllegalStateException(
          "table "
              + session.table()
              + " cannot be finalized: "
              + rows
              + " rows "
              + which
              + " have no idempotency key, so a node of an older version still writes; stop it, then"
              + " finalize again");
    }
  }
}
