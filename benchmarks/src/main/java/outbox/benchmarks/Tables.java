package outbox.benchmarks;

import java.util.Locale;
import outbox.jdbc.schema.OutboxSchema;

/** The library's own table, as it deploys it, and a table of orders beside it. */
final class Tables {
  private final Server server;
  private final TableSql sql;

  Tables(Server server) {
    this.server = server;
    this.sql = server.tableSql();
  }

  /** New and empty tables, so that no round works on the remains of another. */
  void recreate() {
    server.execute(
        "DROP TABLE IF EXISTS outbox_event, outbox_event_keys, outbox_event_ordered,"
            + " outbox_event_schema, orders");
    OutboxSchema.of(server.dataSource()).deploy();
    server.execute(
        "CREATE TABLE orders (id varchar(36) PRIMARY KEY, customer int NOT NULL,"
            + " body text NOT NULL)");
    server.execute(sql.checkpoint());
  }

  void loadPending(int count) {
    load("pending-", 0, count);
  }

  void loadDone(int count) {
    load("done-", 1, count);
  }

  /** A backlog in order: each key has its share, and its first event is free. */
  void loadOrdered(int count, int keys) {
    loadPending(count);
    server.execute(
        "UPDATE outbox_event SET ordering_key = 'key-' || n % "
            + keys
            + ", status = CASE WHEN n < "
            + keys
            + " THEN 0 ELSE 6 END FROM (SELECT event_id AS id,"
            + " CAST(right(event_id, 12) AS bigint) - 1 AS n FROM outbox_event) AS numbered"
            + " WHERE event_id = id");
    server.execute(
        "INSERT INTO outbox_event_ordered (ordering_key, seq, event_id)"
            + " SELECT ordering_key, row_number() OVER (PARTITION BY ordering_key ORDER BY event_id),"
            + " event_id FROM outbox_event");
    server.execute(
        "INSERT INTO outbox_event_keys (ordering_key, last_seq, ended_seq)"
            + " SELECT ordering_key, max(seq), 0 FROM outbox_event_ordered GROUP BY ordering_key");
    server.execute("VACUUM (ANALYZE) outbox_event_ordered");
    server.execute("VACUUM (ANALYZE) outbox_event_keys");
  }

  private void load(String prefix, int status, int count) {
    String doneAt = status == 1 ? sql.now() : "NULL";
    server.execute(
        String.format(
            Locale.ROOT, sql.load(), Payload.TYPE, Payload.TEXT, status, doneAt, prefix, count));
  }

  void analyze() {
    server.execute(sql.analyze());
  }

  /** Leaves the planner with what it believes now. */
  void freezeStatistics() {
    server.execute(sql.freezeStatistics());
  }

  /** As autovacuum leaves a backlog that has been there for a while. */
  void vacuum() {
    server.execute(sql.vacuum());
  }

  /**
   * Reads every row once, so that no reader pays for having loaded them; tells the planner nothing.
   */
  void touch() {
    server.execute("SELECT count(*) FROM outbox_event WHERE payload_text IS NOT NULL");
  }

  void checkpoint() {
    server.execute(sql.checkpoint());
  }
}
