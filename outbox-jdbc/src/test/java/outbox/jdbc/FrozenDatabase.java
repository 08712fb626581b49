package outbox.jdbc;

import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import outbox.contracts.store.EventStoreContract.Row;
import outbox.inbox.InboxStore;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;
import outbox.spi.ConnectionProvider;
import outbox.spi.JoinStore;
import outbox.spi.LeasedEventStore;
import outbox.spi.TerminalHook;

/** The tables in a database of its own, and stores for which time stands still. */
public final class FrozenDatabase implements AutoCloseable {
  private static final DateTimeFormatter LITERAL =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS");

  private final TestDatabase database;

  private FrozenDatabase(TestDatabase database) {
    this.database = database;
  }

  public static FrozenDatabase create(Product product) {
    TestDatabase database = TestDatabase.create(product);
    OutboxSchema.of(database.dataSource()).withJoins().deploy();
    InboxSchema.of(database.dataSource()).deploy();
    return new FrozenDatabase(database);
  }

  /** A store that takes this instant for the database's now. */
  public LeasedEventStore storeAt(Instant now, boolean deleteWhenDone) {
    return JdbcOutboxRepository.builder()
        .nowExpression(literal(database.product(), now))
        .deleteWhenDone(deleteWhenDone)
        .build();
  }

  /** The same with a hook; keeps what is done. */
  public LeasedEventStore storeAt(Instant now, TerminalHook hook) {
    return JdbcOutboxRepository.builder()
        .nowExpression(literal(database.product(), now))
        .terminalHook(hook)
        .build();
  }

  public JoinStore joinStoreAt(Instant now) {
    return new JdbcJoinStore().nowExpression(literal(database.product(), now));
  }

  public InboxStore inboxStoreAt(Instant now) {
    return new JdbcInboxStore().nowExpression(literal(database.product(), now));
  }

  public ConnectionProvider connections() {
    return new DataSourceConnectionProvider(database.dataSource());
  }

  /** Every event by its id, read without the store. */
  public Map<String, Row> rows() {
    return rows("SELECT * FROM outbox_event");
  }

  /** Every message of the inbox by its message id, read without the store. */
  public Map<String, Row> inboxRows() {
    return rows(
        "SELECT message_id AS event_id, CASE WHEN status > 3 THEN 3 ELSE status END AS status,"
            + " attempts, available_at, first_seen_at AS created_at, done_at, owner_token,"
            + " lease_expiries, processed_by, last_error, message_id AS idempotency_key, listeners"
            + " FROM outbox_inbox");
  }

  private Map<String, Row> rows(String query) {
    try {
      return EventRow.all(database.dataSource(), query);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  public void clear() {
    database.execute(
        "DELETE FROM outbox_join", "DELETE FROM outbox_event", "DELETE FROM outbox_inbox");
  }

  @Override
  public void close() {
    database.close();
  }

  private static String literal(Product product, Instant instant) {
    String text = LITERAL.format(LocalDateTime.ofInstant(instant, ZoneOffset.UTC));
    return switch (product) {
      case POSTGRES_NEWEST, POSTGRES_OLDEST -> "TIMESTAMPTZ '" + text + "+00'";
      case H2, H2_OLDEST, H2_SPRING_BOOT -> "TIMESTAMP WITH TIME ZONE '" + text + "+00'";
      case MARIADB, MYSQL, MYSQL_BY_MARIADB_DRIVER -> "TIMESTAMP '" + text + "'";
      case SQLSERVER -> "CAST('" + text + "' AS DATETIME2(6))";
    };
  }
}
