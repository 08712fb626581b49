package outbox.jdbc.internal.schema;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.InstantType;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;

/**
 * Converts the times of version 1's rows to UTC, on databases whose columns carry no zone. Nodes of
 * version 1 must not run meanwhile. Continues where it was interrupted; converts no row twice.
 */
final class Version1Times implements MigrationStep {
  private static final String NAME = "version 1 times";
  private static final String DONE = NAME + " converted";
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);
  private static final int CHUNK = 500;

  private final ZoneId zone;

  /**
   * @param zone in which version 1 wrote its times
   */
  Version1Times(ZoneId zone) {
    this.zone = zone;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void run(SchemaSession session, StepLog log, MigrationMeter meter) throws SQLException {
    if (keepsNoZone(session) && !log.isDone(DONE)) {
      meter.begin("conversion of version 1's times from " + zone);
      convert(session, log, meter);
    }
  }

  private static boolean keepsNoZone(SchemaSession session) {
    return session.dialect().instants() == InstantType.LOCAL_IN_UTC;
  }

  /**
   * Refuses a table with live rows in the future: they were written in local time, and would be due
   * hours late, and old nodes would take what new ones have leased.
   *
   * @throws IllegalStateException if there are any, with the way out
   */
  static void requireUtc(SchemaSession session) {
    if (!keepsNoZone(session)) {
      return;
    }
    long ahead =
        new SchemaCatalog(session.connection(), session.dialect(), session.table())
            .liveRowsCreatedAhead(CLOCK_SKEW);
    if (ahead > 0) {
      throw new IllegalStateException(
          "table "
              + session.table()
              + " has "
              + ahead
              + " live rows that were created in the future by the database's UTC clock: version 1"
              + " wrote local time, and its columns carry no zone. Stop all nodes of version 1 and"
              + " name their zone: outbox schema migrate --version1-zone Europe/Berlin, or"
              + " OutboxSchema.version1Zone(zone); --version1-zone UTC takes the times as they are");
    }
  }

  private void convert(SchemaSession session, StepLog log, MigrationMeter meter)
      throws SQLException {
    Statements statements = SchemaStatements.ofMigration(session.dialect(), session.table());
    long estimated =
        new SchemaCatalog(session.connection(), session.dialect(), session.table()).estimatedRows();
    long done = 0;
    for (List<Times> chunk = next(session, statements, log);
        !chunk.isEmpty();
        chunk = next(session, statements, log)) {
      List<Parameters> converted =
          chunk.stream().map(row -> row.in(zone, statements.parameters())).toList();
      String position = chunk.get(chunk.size() - 1).id;
      ShortLocks.run(
          session,
          NAME,
          locked -> {
            for (Parameters row : converted) {
              statements.update(locked.connection(), "set_times", row);
            }
            log.save(NAME, position);
          });
      log.saved(NAME, position);
      done += chunk.size();
      meter.rows(done, estimated);
    }
    log.record(DONE);
    meter.end(done);
  }

  private static List<Times> next(SchemaSession session, Statements statements, StepLog log) {
    Connection conn = session.connection();
    Parameters after =
        statements.parameters().text("after", log.position(NAME)).number("limit", CHUNK);
    return statements.query(conn, "times", after, row -> Times.of(row, session.dialect()));
  }

  /** A row's times as they are stored, read as if they were UTC. */
  private record Times(
      String id, @Nullable Instant available, @Nullable Instant created, @Nullable Instant done) {
    static Times of(ResultSet row, Dialect dialect) throws SQLException {
      return new Times(
          row.getString("event_id"),
          dialect.getInstant(row, "available_at"),
          dialect.getInstant(row, "created_at"),
          dialect.getInstant(row, "done_at"));
    }

    Parameters in(ZoneId zone, Parameters parameters) {
      return parameters
          .text("id", id)
          .instant("available_at", utc(available, zone))
          .instant("created_at", utc(created, zone))
          .instant("done_at", utc(done, zone));
    }

    private static @Nullable Instant utc(@Nullable Instant stored, ZoneId zone) {
      return stored == null
          ? null
          : LocalDateTime.ofInstant(stored, ZoneOffset.UTC).atZone(zone).toInstant();
    }
  }
}
