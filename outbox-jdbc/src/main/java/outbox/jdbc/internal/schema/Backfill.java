package outbox.jdbc.internal.schema;

import static java.util.Objects.requireNonNullElse;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.internal.util.Pause;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;

/**
 * Fills in key and payload text of rows that older versions wrote, in chunks, each in a short
 * transaction that skips locked rows. Scans the table once by its primary key, from the position of
 * the last run to the last row that existed when this run began; then once the rows that are still
 * incomplete, because they were locked or arrived meanwhile. So it ends however fast an old node
 * writes; the next run fills in what that node writes later.
 */
public final class Backfill implements MigrationStep {
  private static final String NAME = "backfill";
  private static final int FIRST_CHUNK = 200;
  private static final int MAX_CHUNK = 2_000;
  private static final Duration LONG_CHUNK = Duration.ofMillis(200);
  private static final int LAST_ROUNDS = 100;
  private static final Logger LOG = System.getLogger("outbox.jdbc.Backfill");

  private final int rowsPerSecond;
  private final int lastRounds;
  private int chunk = FIRST_CHUNK;

  /**
   * @param rowsPerSecond the most rows to fill in per second; 0 for no limit
   */
  public Backfill(int rowsPerSecond) {
    this(rowsPerSecond, LAST_ROUNDS);
  }

  /**
   * @param lastRounds the most chunks of rows that were locked or arrived meanwhile
   */
  public Backfill(int rowsPerSecond, int lastRounds) {
    this.rowsPerSecond = rowsPerSecond;
    this.lastRounds = lastRounds;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void run(SchemaSession session, StepLog log, MigrationMeter meter) throws SQLException {
    if (!fill(session, log, meter)) {
      LOG.log(
          Level.WARNING,
          "schema of {0}: the backfill leaves rows without a key that were written or locked"
              + " meanwhile; run it again",
          session.table());
    }
  }

  /** Returns whether no incomplete row is left; otherwise call it again. */
  public boolean fill(SchemaSession session, StepLog log, MigrationMeter meter)
      throws SQLException {
    Work work = new Work(session, log);
    meter.begin("backfill of keys");
    long done = 0;
    long estimated = work.catalog.estimatedRows();
    for (List<String> ids = work.next(); !ids.isEmpty(); ids = work.next()) {
      fill(work, ids, ids.get(ids.size() - 1));
      done += ids.size();
      meter.rows(done, estimated);
    }
    String after = "";
    int rounds = 0;
    List<String> ids = work.unfilled(after);
    for (; !ids.isEmpty() && rounds < lastRounds; rounds++) {
      done += fill(work, ids, null);
      after = ids.get(ids.size() - 1);
      ids = work.unfilled(after);
    }
    meter.end(done);
    return ids.isEmpty();
  }

  private int fill(Work work, List<String> ids, @Nullable String position) throws SQLException {
    long began = System.nanoTime();
    int filled = work.fill(ids, position);
    Duration taken = Duration.ofNanos(System.nanoTime() - began);
    int size = taken.compareTo(LONG_CHUNK) > 0 ? chunk / 2 : chunk * 2;
    chunk = Math.max(FIRST_CHUNK, Math.min(size, MAX_CHUNK));
    if (rowsPerSecond > 0) {
      Pause.of(Duration.ofMillis(1_000L * ids.size() / rowsPerSecond).minus(taken));
    }
    return filled;
  }

  /** The statements of one run. */
  private final class Work {
    private final SchemaSession session;
    private final Connection conn;
    private final StepLog log;
    private final SchemaCatalog catalog;
    private final Statements statements;
    private final boolean withPayloads;
    private final String last;

    private Work(SchemaSession session, StepLog log) {
      this.session = session;
      this.conn = session.connection();
      this.log = log;
      this.catalog = new SchemaCatalog(conn, session.dialect(), session.table());
      this.statements = SchemaStatements.ofMigration(session.dialect(), session.table());
      this.withPayloads = catalog.hasVersion1();
      this.last = last();
    }

    private String last() {
      return statements
          .query(
              conn,
              "last_id",
              statements.parameters(),
              row -> requireNonNullElse(row.getString("event_id"), ""))
          .get(0);
    }

    private List<String> next() {
      return ids(
          "next_ids", statements.parameters().text("after", log.position(NAME)).text("last", last));
    }

    private List<String> unfilled(String after) {
      return ids(
          withPayloads ? "unfilled_ids" : "keyless_ids",
          statements.parameters().text("after", after));
    }

    private List<String> ids(String statement, Parameters parameters) {
      int limit = Math.min(chunk, session.dialect().maxIds());
      return statements.query(
          conn, statement, parameters.number("limit", limit), row -> row.getString("event_id"));
    }

    private int fill(List<String> ids, @Nullable String position) throws SQLException {
      List<String> free = new ArrayList<>();
      ShortLocks.run(
          session,
          NAME,
          locked -> {
            free.clear();
            free.addAll(lock(ids));
            if (!free.isEmpty()) {
              statements.update(
                  conn,
                  withPayloads ? "fill_keys_and_payloads" : "fill_keys",
                  statements.parameters().ids(free));
            }
            if (position != null) {
              log.save(NAME, position);
            }
          });
      if (position != null) {
        log.saved(NAME, position);
      }
      return free.size();
    }

    private List<String> lock(List<String> ids) {
      return ids.isEmpty()
          ? List.of()
          : statements.query(
              conn,
              withPayloads ? "lock_unfilled" : "lock_keyless",
              statements.parameters().ids(ids),
              row -> row.getString("event_id"));
    }
  }
}
