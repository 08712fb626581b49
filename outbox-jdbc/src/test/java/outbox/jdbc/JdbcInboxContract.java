package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInfo;
import outbox.inbox.InboxStore;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.spi.ConnectionProvider;
import outbox.spi.TransactionRunner;
import outbox.testing.InboxContract;

/** The inbox on a database of its own; subclasses say {@link On} which. */
abstract class JdbcInboxContract extends InboxContract {
  @SuppressWarnings("NullAway.Init")
  private static TestDatabase database;

  private Duration shift = Duration.ZERO;

  @BeforeAll
  static void deploy(TestInfo test) {
    On on = requireNonNull(test.getTestClass().orElseThrow().getAnnotation(On.class));
    database = TestDatabase.create(on.value());
    InboxSchema.of(database.dataSource()).deploy();
  }

  @AfterAll
  static void drop() {
    database.close();
  }

  static TestDatabase database() {
    return database;
  }

  @Override
  public final InboxStore store() {
    JdbcInboxStore store = new JdbcInboxStore();
    return shift.isZero() ? store : store.nowExpression(nowSql());
  }

  @Override
  public final ConnectionProvider connections() {
    return new DataSourceConnectionProvider(database.dataSource());
  }

  @Override
  public final TransactionRunner transactions() {
    return new JdbcTransactionManager(connections(), new ThreadLocalTxContext());
  }

  @Override
  public final void advance(Duration by) {
    shift = shift.plus(by);
  }

  @Override
  public final Instant now() {
    if (database.product() == Product.H2) {
      return Instant.now().truncatedTo(ChronoUnit.MICROS).plus(shift);
    }
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement statement =
            connection.prepareStatement("SELECT " + nowSql() + " AS now");
        ResultSet row = statement.executeQuery()) {
      row.next();
      return requireNonNull(Dialects.of(connection).getInstant(row, "now"));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  protected final void reset() {
    database.execute("DELETE FROM outbox_inbox");
    shift = Duration.ZERO;
  }

  private String nowSql() {
    return ShiftedNow.expression(database.product(), shift);
  }
}
