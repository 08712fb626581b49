package outbox.jdbc;

import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.testing.EventStoreContract.Row;

/** The table in a database of its own, and stores for which time stands still. */
public final class FrozenDatabase implements AutoCloseable {
  private static final DateTimeFormatter LITERAL =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS");

  private final TestDatabase database;

  private FrozenDatabase(TestDatabase database) {
    this.database = database;
  }

  public static FrozenDatabase create(Product product) {
    TestDatabase database = TestDatabase.create(product);
    OutboxSchema.of(database.dataSource()).deploy();
    return new FrozenDatabase(database);
  }

  /** A store that takes this instant for the database's now. */
  public LeasedEventStore storeAt(Instant now, boolean deleteWhenDone) {
    return JdbcOutboxRepository.builder()
        .nowExpression(literal(database.product(), now))
        .deleteWhenDone(deleteWhenDone)
        .build();
  }

  public ConnectionProvider connections() {
    return new DataSourceConnectionProvider(database.dataSource());
  }

  /** Every row by its id, read without the store. */
  public Map<String, Row> rows() {
    try {
      return EventRow.all(database.dataSource());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  public void clear() {
    database.execute("DELETE FROM outbox_event");
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
      case MARIADB -> "TIMESTAMP '" + text + "'";
      case SQLSERVER -> "CAST('" + text + "' AS DATETIME2(6))";
    };
  }
}
