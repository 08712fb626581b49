package outbox.jdbc;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import outbox.jdbc.db.TestDatabase;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.MessageId;
import outbox.spi.JoinStore;
import outbox.spi.LeasedEventStore;
import outbox.spi.StoreException;
import outbox.spi.TerminalHook;
import outbox.testing.EventStoreContract.Row;
import outbox.testing.JoinContract;
import outbox.testing.Spec;

/** The contract of joins on a database of its own; subclasses say {@link On} which. */
abstract class JdbcJoinContract extends JoinContract {
  @SuppressWarnings("NullAway.Init")
  private static TestDatabase database;

  private final MovableNow now = new MovableNow(database);

  @BeforeAll
  static void deploy(TestInfo test) {
    On on = requireNonNull(test.getTestClass().orElseThrow().getAnnotation(On.class));
    database = TestDatabase.create(on.value());
    OutboxSchema.of(database::connect).withJoins().deploy();
  }

  @AfterAll
  static void drop() {
    database.close();
  }

  /** A transaction locks a join before its message, and so against the order. */
  @Test
  @Spec("JOIN-062")
  void whatADatabaseGivesUpForADeadlockIsTriedAgain() throws Exception {
    MessageId ended = enqueue("ended");
    complete("ended");
    JoinIdentifier contended = joins().startJoin(null, 1, null);
    JoinIdentifier other = joins().startJoin(null, 1, null);
    Thread attaching = new Thread(() -> joins().attach(contended, ended));
    try (Connection stranger = beginTransaction()) {
      joinStore().lock(stranger, contended);
      attaching.start();
      await().atMost(Duration.ofSeconds(60)).until(() -> isLocked("ended"));
      try {
        joinStore().attach(stranger, other, List.of("ended"));
        stranger.commit();
      } catch (StoreException victim) {
        stranger.rollback();
      }
    }
    attaching.join();

    assertCounts(contended, 1, 0, JoinStatus.COMPLETED);
  }

  /** It was no wait when the purge looked, and is one when it has the join's lock. */
  @Test
  void aJoinForWhichAWaitHasBegunIsNotDeletedUnderTheLock() throws Exception {
    JoinIdentifier join = joins().startJoin(null, 1, null);
    joins().attach(join, enqueue("step"));
    joins().cancelJoin(join);
    enqueue("waiting");
    try (Connection connection = open()) {
      joinStore().addWait(connection, join, "waiting");

      assertThat(deleteLocked(connection, join)).isZero();
      claim("waiting");
      events().abandon(connection, ME, failures(List.of("waiting")));
      assertThat(deleteLocked(connection, join)).as("to be tried again").isZero();
      assertThat(joinStore().steps(connection, join, null)).hasSize(1);

      complete("waiting");
      assertThat(deleteLocked(connection, join)).isEqualTo(1);
      assertThat(joinStore().find(connection, join)).isEmpty();
    }
  }

  private static int deleteLocked(Connection connection, JoinIdentifier join) {
    Dialect dialect = Dialects.of(connection);
    Statements sql = Statements.ofJoins(dialect, TableName.DEFAULT, JoinTables.DEFAULT, null);
    return dialect.stepFlip(sql).delete(connection, List.of(join.value()));
  }

  private boolean isLocked(String eventId) throws SQLException {
    try (Connection connection = beginTransaction();
        Statement statement = connection.createStatement();
        ResultSet free =
            statement.executeQuery(
                "SELECT event_id FROM outbox_event WHERE event_id = '"
                    + eventId
                    + "' FOR UPDATE SKIP LOCKED")) {
      boolean locked = !free.next();
      connection.rollback();
      return locked;
    }
  }

  @Override
  protected final JoinStore newJoinStore() {
    JdbcJoinStore store = new JdbcJoinStore();
    return now.isMoved() ? store.nowExpression(now.expression()) : store;
  }

  @Override
  protected final LeasedEventStore newEvents(TerminalHook hook) {
    JdbcOutboxRepositoryBuilder builder = JdbcOutboxRepository.builder().terminalHook(hook);
    return now.isMoved() ? builder.nowExpression(now.expression()).build() : builder.build();
  }

  @Override
  public final Connection open() throws SQLException {
    return database.dataSource().getConnection();
  }

  @Override
  protected final void moveClock(Duration by) {
    now.advance(by);
  }

  @Override
  protected final void stopClock(Instant instant) {
    now.stopAt(instant);
  }

  @Override
  public final Instant now() {
    return now.now();
  }

  @Override
  public final Optional<Row> row(String eventId) {
    return EventRow.find(database.dataSource(), eventId);
  }

  @Override
  public final void delete(String eventId) {
    database.execute("DELETE FROM outbox_event WHERE event_id = '" + eventId + "'");
  }

  @Override
  protected final void reset() {
    database.execute("DELETE FROM outbox_join", "DELETE FROM outbox_event");
  }
}
