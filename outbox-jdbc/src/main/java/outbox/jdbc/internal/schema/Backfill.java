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
 * Gives the rows of older versions their key, and their payload's text, in chunks: each in a short
 * transaction of its own that takes no row which is locked. Goes over the table once by its primary
 * key, from where it stopped the last time to the last row that was there when it began, and then
 * once over those that are still without: what was locked or came meanwhile. So it ends, however
 * fast an old node writes ahead of it; what that writes later is left to the next run.
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
   * @param rowsPerSecond how many it may fill at the most; 0 for as many as it can
   */
  public Backfill(int rowsPerSecond) {
    this(rowsPerSecond, LAST_ROUNDS);
  }

  /**
   * @param lastRounds how many chunks of what was locked or came meanwhile it fills at the most
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

  /** Returns whether it came to the end: else there were more rows than it does in one go. */
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
