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
    StepLog none = StepLog.none(session);
    for (MigrationStep step : steps(2)) {
      if (step instanceof IndexStep) {
        step.run(session, none, meter);
      }
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
