package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInfo;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.spi.LeasedEventStore;
import outbox.testing.EventStoreContract;

/** The contract on a database of its own; subclasses say {@link On} which. */
abstract class JdbcStoreContract extends EventStoreContract {
  @SuppressWarnings("NullAway.Init")
  private static TestDatabase database;

  private static @Nullable RestrictedUser user;
  private static boolean upgraded;
  private static boolean routines;

  private Duration shift = Duration.ZERO;
  private LeasedEventStore store = build(false);

  @BeforeAll
  static void deploy(TestInfo test) {
    On on = requireNonNull(test.getTestClass().orElseThrow().getAnnotation(On.class));
    upgraded = on.upgraded();
    database = TestDatabase.create(on.value());
    if (upgraded) {
      Version1.create(database.dataSource());
    }
    OutboxSchema.of(database.dataSource()).deploy();
    user = on.restricted() ? new RestrictedUser(database) : null;
    routines = on.routines();
    if (routines) {
      Routines.of(new PostgresDialect(), TableName.DEFAULT, RoutineStore.NOW)
          .definitions()
          .forEach(database::execute);
    }
  }

  @AfterAll
  static void drop() {
    if (user != null) {
      user.close();
    }
    database.close();
  }

  @Override
  public final LeasedEventStore store() {
    return store;
  }

  @Override
  public final LeasedEventStore deletingStore() {
    return build(true);
  }

  @Override
  public final Connection open() throws SQLException {
    return entered().dataSource().getConnection();
  }

  @Override
  public final Connection open(String zoneOffset) throws SQLException {
    return entered().connect(zoneOffset);
  }

  @Override
  public final void advance(Duration by) {
    shift = shift.plus(by);
    store = build(false);
  }

  @Override
  public final Instant now() {
    if (database.product() == Product.H2) {
      return Instant.now().truncatedTo(ChronoUnit.MICROS).plus(shift);
    }
    try (Connection connection = open();
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
  public final Optional<Row> row(String eventId) {
    return EventRow.find(database.dataSource(), eventId);
  }

  @Override
  public final void insertByOldVersion(String eventId, @Nullable String headersJson) {
    String payload = upgraded ? "payload" : "payload_text";
    try (Connection connection = open()) {
      Version1.insert(connection, eventId, payload, headersJson, now());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  protected final void reset() {
    database.execute("DELETE FROM outbox_event");
  }

  private LeasedEventStore build(boolean deleteWhenDone) {
    JdbcOutboxRepository.Builder builder =
        JdbcOutboxRepository.builder().deleteWhenDone(deleteWhenDone);
    LeasedEventStore built =
        shift.isZero() ? builder.build() : builder.nowExpression(nowSql()).build();
    return routines && !deleteWhenDone ? new RoutineStore(built, shift) : built;
  }

  private static TestDatabase entered() {
    return user == null ? database : user.database();
  }

  private String nowSql() {
    return ShiftedNow.expression(database.product(), shift);
  }
}
