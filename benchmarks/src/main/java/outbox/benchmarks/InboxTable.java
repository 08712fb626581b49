package outbox.benchmarks;

import java.util.Locale;
import outbox.jdbc.schema.InboxSchema;

/** The table of the inbox, as the library deploys it. */
final class InboxTable {
  /** The names of messages that {@link #load} makes, which a sender can send again. */
  static final String PREFIX = "loaded-";

  static final String SOURCE = "bench";

  @SuppressWarnings("InlineFormatString") // a statement reads best on its own
  private static final String LOAD =
      """
      INSERT INTO outbox_inbox (event_id, source, message_id, topic, payload, status,
        available_at, first_seen_at)
      SELECT 'id-' || lpad(n::text, 12, '0'), '%s', '%s' || n, '%s', '%s', 0,
        statement_timestamp() - interval '1 hour' + n * interval '1 microsecond',
        statement_timestamp() - interval '1 hour'
      FROM generate_series(1, %d) AS n""";

  private final Server server;

  InboxTable(Server server) {
    this.server = server;
  }

  /** New and empty, so that no round works on the remains of another. */
  void recreate() {
    server.execute("DROP TABLE IF EXISTS outbox_inbox");
    InboxSchema.of(server.dataSource()).deploy();
    server.execute("CHECKPOINT");
  }

  /** Messages that wait for their handler. */
  void load(int count) {
    server.execute(
        String.format(Locale.ROOT, LOAD, SOURCE, PREFIX, Payload.TYPE, Payload.TEXT, count));
    server.execute("VACUUM (ANALYZE) outbox_inbox");
    server.execute("CHECKPOINT");
  }
}
