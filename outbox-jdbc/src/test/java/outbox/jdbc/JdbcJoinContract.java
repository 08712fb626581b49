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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import outbox.contracts.join.JoinContract;
import outbox.contracts.store.EventStoreContract.Row;
import outbox.contracts.support.Spec;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.join.JoinStatements;
import outbox.jdbc.internal.sql.JoinTables;
import outbox.jdbc.internal.sql.Statements;
import outbox.jdbc.schema.OutboxSchema;
import outbox.model.EventStatus;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.MessageId;
import outbox.model.StepStatus;
import outbox.spi.JoinStore;
import outbox.spi.LeasedEventStore;
import outbox.spi.StoreException;
import outbox.spi.TerminalHook;

/** The contract of joins on a database of its own; subclasses say {@link On} which. */
abstract class JdbcJoinContract extends JoinContract {
  @SuppressWarnings("NullAway.Init")
  private static TestDatabase database;

  private final MovableNow now = new MovableNow(database);

  @BeforeAll
  static void deploy(TestInfo test) {
    On on = requireNonNull(test.getTestClass().orElseThrow().getAnnotation(On.class));
    database = TestDatabase.create(on.value(), on.options());
    OutboxSchema.of(database::connect).withJoins().deploy();
  }

  @AfterAll
  static void drop() {
    if (database != null) {
      database.close();
    }
  }

  @Test
  void aPurgeTakesJoinsOfFiveThousandStepsTogetherOrOneThatHasMore() {
    for (int steps : new int[] {2_500, 2_500, 2_500}) {
      joins().cancelJoin(joins().startJoin("large", steps, null));
    }
    advance(Duration.ofSeconds(5));
    assertThat(purgeAll()).containsExactly(2, 1, 0);

    joins().cancelJoin(joins().startJoin("huge", 5_001, null));
    advance(Duration.ofSeconds(5));
    assertThat(purgeAll()).containsExactly(1, 0);
  }

  private List<Integer> purgeAll() {
    List<Integer> purged = new ArrayList<>();
    do {
      purged.add(call(connection -> joinStore().purge(connection, Duration.ZERO, 100)));
    } while (purged.get(purged.size() - 1) > 0);
    return purged;
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

  @Test
  @Spec({"JOIN-024", "JOIN-032", "OBX-028", "OBX-041"})
  void aCallThatFailsHalfwayChangesNeitherMessageNorStepNorJoin() throws Exception {
    Map<String, BiConsumer<Connection, JoinIdentifier>> calls =
        Map.of(
            "completed",
            (connection, join) ->
                joinStore().report(connection, join, "completed", StepStatus.COMPLETED),
            "failed",
            (connection, join) -> joinStore().report(connection, join, "failed", StepStatus.FAILED),
            "ack",
            (connection, join) -> events().ack(connection, ME, List.of("ack")),
            "fail",
            (connection, join) -> events().fail(connection, ME, failures(List.of("fail"))),
            "mark done",
            (connection, join) -> events().markDone(connection, "mark done"),
            "mark dead",
            (connection, join) -> events().markDead(connection, "mark dead", "broken"));
    for (Map.Entry<String, BiConsumer<Connection, JoinIdentifier>> call : calls.entrySet()) {
      String message = call.getKey();
      JoinIdentifier join = joinOf(1, message);
      MessageId waiting = waitFor(join);
      claim(message);
      WatchedConnections watched = new WatchedConnections(database.dataSource(), true);
      int allowed = 0;
      while (fails(watched, allowed, connection -> call.getValue().accept(connection, join))) {
        assertCounts(join, 0, 0, JoinStatus.PENDING);
        assertThat(step(join, message)).as(message).isEqualTo(StepStatus.PENDING);
        assertThat(message(new MessageId(message)).status()).as(message).isEqualTo(EventStatus.NEW);
        allowed++;
      }
      assertThat(allowed).as(message).isGreaterThan(1);
      assertThat(stored(join).isComplete()).as(message).isTrue();
      assertThat(isDue(waiting)).as(message).isTrue();
    }
  }

  @Test
  @Spec({"JOIN-011", "JOIN-032"})
  void anAttachThatFailsHalfwayLeavesNoStep() throws Exception {
    List<String> ids = List.of("done", "dead", "pending");
    ids.forEach(this::enqueue);
    complete("done");
    kill("dead");
    JoinIdentifier join = joins().startJoin(null, 2, null);
    WatchedConnections watched = new WatchedConnections(database.dataSource(), true);
    int allowed = 0;
    while (fails(watched, allowed, connection -> joinStore().attach(connection, join, ids))) {
      assertCounts(join, 0, 0, JoinStatus.PENDING);
      assertThat(joins().steps(join)).isEmpty();
      allowed++;
    }
    assertThat(allowed).isGreaterThan(1);
    assertCounts(join, 1, 1, JoinStatus.FAILED);
  }

  /** Whether the call fails if only so many of its statements are allowed. */
  private static boolean fails(WatchedConnections watched, int allowed, Consumer<Connection> call)
      throws SQLException {
    watched.breakAfter(allowed);
    try (Connection connection = watched.getConnection()) {
      call.accept(connection);
      return false;
    } catch (StoreException e) {
      assertThat(e).hasRootCauseMessage("broken");
      return true;
    }
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
    Statements sql = JoinStatements.of(dialect, TableName.DEFAULT, JoinTables.DEFAULT, null);
    return JoinStatements.stepFlip(sql).delete(connection, List.of(join.value()));
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
