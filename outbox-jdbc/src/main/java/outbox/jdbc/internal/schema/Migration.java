package outbox.jdbc.internal.schema;

import java.sql.SQLException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.sql.Statements;

/**
 * Brings a table that is in use to the newest version: its columns first, then its rows, then its
 * indexes. Whatever ends it, the next run goes on from there; the version is recorded last.
 */
public final class Migration {
  /** Writers wait for less than a second while a table of so many rows is copied. */
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
      session.execute(session.scripts().of("versions"));
      StepLog log = StepLog.open(session);
      if (installed == 1 && version1Zone != null) {
        new Version1Times(version1Zone).run(session, log, meter);
      }
      run(steps(installed + 1), log);
      session.inTransaction(done -> record());
    } else if (installed == SchemaVersion.CURRENT) {
      mend();
    }
  }

  /** Gives a key to the rows that nodes of an older version have written since. */
  public void fill() throws SQLException {
    SchemaCatalog catalog =
        new SchemaCatalog(session.connection(), session.dialect(), session.table());
    if (!catalog.isFinalized()) {
      session.set(session.dialect().longWaits());
      run(List.of(new Backfill(rowsPerSecond)), StepLog.open(session));
    }
  }

  /** Builds what is missing of the indexes. Needs no right to change anything if nothing is. */
  private void mend() throws SQLException {
    List<MigrationStep> indexSteps = steps(2).stream().filter(IndexStep.class::isInstance).toList();
    requireLeave(session, indexSteps);
    run(indexSteps, StepLog.none(session));
  }

  /**
   * Asks before the first step begins.
   *
   * @throws IllegalStateException if steps that are still to be done keep writers out of a large
   *     table and that is not allowed
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
