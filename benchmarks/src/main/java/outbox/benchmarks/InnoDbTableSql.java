package outbox.benchmarks;

/** On MariaDB and MySQL. */
final class InnoDbTableSql implements TableSql {
  /** Numbers from digits: the two name their generators of numbers differently. */
  @SuppressWarnings("InlineFormatString") // a statement reads best on its own
  private static final String LOAD =
      """
      INSERT INTO outbox_event (event_id, idempotency_key, event_type, payload_text, status,
        attempts, available_at, created_at, occurred_at, done_at)
      WITH digit AS (
        SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4
        UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9
      ), number AS (
        SELECT a.d + 10 * b.d + 100 * c.d + 1000 * d.d + 10000 * e.d + 100000 * f.d + 1000000 * g.d
          + 1 AS n
        FROM digit AS a, digit AS b, digit AS c, digit AS d, digit AS e, digit AS f, digit AS g
      ), event AS (
        SELECT n, CONCAT('%5$s', LPAD(n, 12, '0')) AS id FROM number WHERE n <= %6$d
      )
      SELECT id, id, '%1$s', '%2$s', %3$d, 0,
        UTC_TIMESTAMP(6) - INTERVAL 1 HOUR + INTERVAL n MICROSECOND,
        UTC_TIMESTAMP(6) - INTERVAL 1 HOUR, UTC_TIMESTAMP(6) - INTERVAL 1 HOUR, %4$s
      FROM event""";

  @Override
  public String load() {
    return LOAD;
  }

  @Override
  public String analyze() {
    return "ANALYZE TABLE outbox_event";
  }

  @Override
  public String freezeStatistics() {
    return "ALTER TABLE outbox_event STATS_AUTO_RECALC = 0";
  }

  /** Purging needs no command. */
  @Override
  public String vacuum() {
    return analyze();
  }

  @Override
  public String checkpoint() {
    return "FLUSH LOCAL ENGINE LOGS";
  }

  @Override
  public String now() {
    return "UTC_TIMESTAMP(6)";
  }
}
