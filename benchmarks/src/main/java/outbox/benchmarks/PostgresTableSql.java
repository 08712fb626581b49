package outbox.benchmarks;

/** On PostgreSQL. */
final class PostgresTableSql implements TableSql {
  /** A row that another process left behind: not leased, and due at once. */
  @SuppressWarnings("InlineFormatString") // a statement reads best on its own
  private static final String LOAD =
      """
      INSERT INTO outbox_event (event_id, idempotency_key, event_type, payload_text, status,
        attempts, available_at, created_at, occurred_at, done_at)
      SELECT id, id, '%s', '%s', %d, 0,
        statement_timestamp() - interval '1 hour' + n * interval '1 microsecond',
        statement_timestamp() - interval '1 hour', statement_timestamp() - interval '1 hour', %s
      FROM (
        SELECT n, '%s' || lpad(n::text, 12, '0') AS id FROM generate_series(1, %d) AS n
      ) AS ids""";

  @Override
  public String load() {
    return LOAD;
  }

  @Override
  public String analyze() {
    return "ANALYZE outbox_event";
  }

  @Override
  public String freezeStatistics() {
    return "ALTER TABLE outbox_event SET (autovacuum_enabled = false)";
  }

  @Override
  public String vacuum() {
    return "VACUUM (ANALYZE) outbox_event";
  }

  @Override
  public String checkpoint() {
    return "CHECKPOINT";
  }

  @Override
  public String now() {
    return "statement_timestamp()";
  }
}
