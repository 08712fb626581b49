package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.TestInfo;
import outbox.contracts.store.EventStoreContract.Row;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.dialect.PostgresDialect;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.schema.Routines;
import outbox.jdbc.schema.OutboxSchema;
import outbox.spi.LeasedEventStore;

/** The table in a database of its own, and a store on it whose now can be moved. */
final class StoreOnDatabase implements AutoCloseable {
  private final TestDatabase database;
  private final On on;
  private final @Nullable RestrictedUser user;
  private final MovableNow now;
  private LeasedEventStore store;

  private StoreOnDatabase(TestDatabase database, On on) {
    this.database = database;
    this.on = on;
    this.now = new MovableNow(database);
    this.user = on.restricted() ? new RestrictedUser(database) : null;
    this.store = build(false);
  }

  /** As the test class says {@link On} which. */
  static StoreOnDatabase of(TestInfo test) {
    On on = requireNonNull(test.getTestClass().orElseThrow().getAnnotation(On.class));
    TestDatabase database = TestDatabase.create(on.value(), on.options());
    if (on.upgraded()) {
      Version1.create(database.dataSource());
    }
    OutboxSchema schema = OutboxSchema.of(database::connect);
    (on.restricted() ? schema.withRoutines() : schema).deploy();
    if (on.routines()) {
      new Routines(new PostgresDialect(), TableName.DEFAULT, null)
          .definitions().stream()
              .map(sql -> sql.replace("statement_timestamp()", RoutineStore.NOW))
              .forEach(database::execute);
    }
    return new StoreOnDatabase(database, on);
  }

  /** The database as whoever works with the store enters it. */
  TestDatabase entered() {
    return user == null ? database : user.database();
  }

  LeasedEventStore store() {
    return store;
  }

  LeasedEventStore deletingStore() {
    return build(true);
  }

  void advance(Duration by) {
    now.advance(by);
    store = build(false);
  }

  void stopAt(Instant instant) {
    now.stopAt(instant);
    store = build(false);
  }

  Instant now() {
    return now.now();
  }

  Optional<Row> row(String eventId) {
    return EventRow.find(database.dataSource(), eventId);
  }

  void execute(String sql) {
    database.execute(sql);
  }

  Set<String> payloads(String eventId) {
    return EventRow.payloads(database.dataSource(), eventId);
  }

  void insertByOldVersion(String eventId, @Nullable String headersJson) {
    String payload = on.upgraded() ? "payload" : "payload_text";
    try (Connection connection = database.dataSource().getConnection()) {
      Version1.insert(connection, eventId, payload, headersJson, now());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Empties the table and sets the store's now back to the present. */
  void reset() {
    database.execute(
        "DELETE FROM outbox_event",
        "DELETE FROM outbox_event_ordered",
        "DELETE FROM outbox_event_keys");
    now.reset();
    store = build(false);
  }

  private LeasedEventStore build(boolean deleteWhenDone) {
    JdbcOutboxRepositoryBuilder builder =
        JdbcOutboxRepository.builder().deleteWhenDone(deleteWhenDone);
    LeasedEventStore built =
        now.isMoved() ? builder.nowExpression(now.expression()).build() : builder.build();
    return on.routines() && !deleteWhenDone ? new RoutineStore(built, now) : built;
  }

  @Override
  public void close() {
    if (user != null) {
      user.close();
    }
    database.close();
  }
}
