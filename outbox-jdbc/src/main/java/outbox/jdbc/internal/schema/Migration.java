package outbox.jdbc.internal.schema;

import java.sql.SQLException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.sql.Statements;

/**
 * Upgrades a table in use to the newest version: columns first, then rows, then indexes. If it is
 * interrupted, the next run continues from there; it records the version last.
 */
public final class Migration {
  /** While a table with this many rows is copied, writers wait for less than a second. */
  public static final int SMALL_TABLE = 10_000;

  private final SchemaSession session;
  private final MigrationMeter meter;
  private final int rowsPerSecond;
  private final @Nullable ZoneId version1Zone;

  public Migration(
      SchemaSession session,
      MigrationMeter meter,
      int rowsPerSecond,
      @Nullable ZoneId version1Zone) {
    this.session = session;
    this.meter = meter;
    this.rowsPerSecond = rowsPerSecond;
    this.version1Zone = version1Zone;
  }

  public void run(int installed) throws SQLException {
    if (installed < SchemaVersion.CURRENT) {
      if (installed == 1 && version1Zone == null) {
        Version1Times.requireUtc(session);
      }
      requireLeave(session, steps(installed + 1));
      session.set(session.dialect().longWaits());
      session.execute(session.scripts().upgradeScript("versions"));
      StepLog log = StepLog.open(session);
      if (installed == 1 && version1Zone != null) {
        new Version1Times(version1Zone).run(session, log, meter);
      }
      run(steps(installed + 1), log);
      session.inTransaction(done -> record());
    } else if (installed == SchemaVersion.CURRENT) {
      complete();
    }
  }

  /** Fills in the rows that nodes of an older version have written since the migration. */
  public void fill() throws SQLException {
    SchemaCatalog catalog =
        new SchemaCatalog(session.connection(), session.dialect(), session.table());
    if (!catalog.isFinalized()) {
      session.set(session.dialect().longWaits());
      run(List.of(new Backfill(rowsPerSecond)), StepLog.open(session));
    }
  }

  /**
   * Creates the tables beside the events and the indexes that are missing, and records the version
   * if the script that created the table was interrupted before that. If nothing is missing, this
   * needs no right to change the schema.
   */
  private void complete() throws SQLException {
    session.execute(
        ScriptedTable.completionBeside(
            session.table(), session.scripts().outbox(), session.connection(), session.dialect()));
    List<MigrationStep> indexSteps = steps(2).stream().filter(IndexStep.class::isInstance).toList();
    requireLeave(session, indexSteps);
    run(indexSteps, StepLog.none(session));
    if (SchemaVersion.recorded(session.connection(), session.statements()) == 0) {
      session.execute(session.scripts().upgradeScript("versions"));
      session.inTransaction(done -> record());
    }
  }

  /**
   * Checks before the first step begins that all steps are permitted.
   *
   * @throws IllegalStateException if a step makes the writers of a large table wait, and that is
   *     not permitted
   */
  static void requireLeave(SchemaSession session, List<MigrationStep> steps) {
    if (session.mayLock()) {
      return;
    }
    SchemaCatalog catalog =
        new SchemaCatalog(session.connection(), session.dialect(), session.table());
    List<String> blocking =
        steps.stream()
            .filter(step -> step.keepsWritersOut(session, catalog))
            .map(MigrationStep::name)
            .toList();
    if (!blocking.isEmpty() && catalog.hasMoreRowsThan(SMALL_TABLE)) {
      throw new IllegalStateException(
          "table "
              + session.table()
              + " has more than "
              + SMALL_TABLE
              + " rows, and "
              + session.dialect().product()
              + " keeps writers out of it during "
              + String.join(", ", blocking)
              + ", which copy the table or build an index; choose a quiet time, then allow it:"
              + " --allow-locking, or allowLocking()");
    }
  }

  public void run(List<MigrationStep> steps, StepLog log) throws SQLException {
    for (MigrationStep step : steps) {
      step.run(session, log, meter);
    }
  }

  private List<MigrationStep> steps(int first) {
    List<MigrationStep> tableSteps = new ArrayList<>();
    List<MigrationStep> indexSteps = new ArrayList<>();
    for (int version = first; version <= SchemaVersion.CURRENT; version++) {
      for (MigrationStep step : ScriptSteps.of("V" + version, session.scripts().version(version))) {
        (step instanceof IndexStep ? indexSteps : tableSteps).add(step);
      }
    }
    tableSteps.add(new Backfill(rowsPerSecond));
    tableSteps.addAll(indexSteps);
    return tableSteps;
  }

  private void record() {
    Statements statements = SchemaStatements.ofMigration(session.dialect(), session.table());
    int recorded = SchemaVersion.recorded(session.connection(), session.statements());
    for (int version = recorded + 1; version <= SchemaVersion.CURRENT; version++) {
      statements.update(
          session.connection(),
          "record_version",
          statements.parameters().number("version", version));
    }
  }
}
