package outbox.jdbc.internal.schema;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * The last step of an upgrade, once no node of an older version runs any more: fills in the last
 * rows, requires a key of each, and drops what only version 1 used, its payload last. Refuses to
 * run while recent rows look like those of an older node. If it is interrupted, the next run
 * continues from there.
 */
public final class Finalization {
  /** A node that has written nothing for this long counts as stopped. */
  public static final Duration RECENT = Duration.ofMinutes(5);

  private final SchemaSession session;
  private final MigrationMeter meter;
  private final Backfill backfill;
  private final SchemaCatalog catalog;

  public Finalization(SchemaSession session, MigrationMeter meter, Backfill backfill) {
    this.session = session;
    this.meter = meter;
    this.backfill = backfill;
    this.catalog = new SchemaCatalog(session.connection(), session.dialect(), session.table());
  }

  /**
   * Finalizes the upgrade.
   *
   * @param forced whether to continue although a node of an older version may still run
   */
  public void run(boolean forced) throws SQLException {
    if (!catalog.isFinalized()) {
      List<MigrationStep> steps = ScriptSteps.of("finalize", session.scripts().finalization());
      Migration.requireLeave(session, steps);
      session.set(session.dialect().longWaits());
      if (!forced) {
        refuseYoung();
      }
      StepLog log = StepLog.open(session);
      fill(log);
      refuseUnfilled();
      for (MigrationStep step : steps) {
        step.run(session, log, meter);
      }
    }
    StepLog.drop(session);
  }

  private void fill(StepLog log) throws SQLException {
    boolean complete = false;
    while (!complete) {
      complete = backfill.fill(session, log, meter);
    }
  }

  private void refuseYoung() {
    long rows = catalog.youngRowsOfVersion1(RECENT);
    if (rows > 0) {
      throw refused(
          rows
              + " rows of the last "
              + RECENT
              + " were written or completed by a node of an older version; stop it and finalize "
              + RECENT
              + " later, or, if you know that none runs any more, force it: --force, or forced()");
    }
  }

  private void refuseUnfilled() {
    long rows = catalog.hasVersion1() ? catalog.unfilledRows() : catalog.rowsWithoutKey();
    if (rows > 0) {
      throw refused(
          rows
              + " rows that are locked or new have no idempotency key, or their payload in version"
              + " 1's column only; stop the nodes of older versions, end the transactions that hold"
              + " these rows, then run it again");
    }
  }

  private IllegalStateException refused(String why) {
    return new IllegalStateException("table " + session.table() + " cannot be finalized: " + why);
  }
}
