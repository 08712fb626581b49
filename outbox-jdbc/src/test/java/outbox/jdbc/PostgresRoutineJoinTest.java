package outbox.jdbc;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;
import outbox.join.JoinCoordinator;
import outbox.join.JoinPlan;
import outbox.join.JoinTracker;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.JoinStep;
import outbox.model.MessageId;

/** Messages that end by the SQL routines count in their joins as well. */
class PostgresRoutineJoinTest {
  private final TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST);
  private final JoinCoordinator joins = joins();

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  @Spec({"JOIN-030", "JOIN-031", "JOIN-032", "OBX-027", "OBX-040"})
  void messagesEndedByTheRoutinesCountInAllTheirJoins() throws SQLException {
    JoinPlan.Started first =
        joins.plan().step("a", "1").step("a", "2").step("a", "3").onComplete("next", "").start();
    JoinPlan.Started second =
        joins.plan().step(first.steps().get(0)).step(first.steps().get(1)).start();
    run("SELECT outbox_event_claim('me')");
    MessageId waiting = requireNonNull(first.waitId());
    run(
        "UPDATE outbox_event SET owner_token = NULL, available_at = available_at + INTERVAL '1 day'"
            + " WHERE event_id = ?",
        waiting);

    run("SELECT outbox_event_ack('me', ARRAY[?, ?])", first.steps().get(0), first.steps().get(1));
    assertThat(counts(first)).isEqualTo(List.of(2, 0, JoinStatus.PENDING));
    assertThat(counts(second)).isEqualTo(List.of(2, 0, JoinStatus.COMPLETED));
    run("SELECT outbox_event_fail('me', ARRAY[?], 'broken')", first.steps().get(2));

    assertThat(counts(first)).isEqualTo(List.of(2, 1, JoinStatus.FAILED));
    assertThat(joins.missingSteps(first.join())).isEmpty();
    assertThat(EventRow.find(database.dataSource(), waiting.value()).orElseThrow().availableAt())
        .isBefore(Instant.now().plusSeconds(60));
  }

  @Test
  void noMoreThanExpectedIsCountedByTheRoutinesEither() throws SQLException {
    JoinPlan.Started other = joins.plan().step("a", "1").step("a", "2").step("a", "3").start();
    JoinIdentifier join = joins.startJoin(null, 2, null);
    joins.attachAll(join, other.steps());
    run("SELECT outbox_event_claim('me')");

    run("SELECT outbox_event_ack('me', ARRAY[?, ?, ?])", other.steps().toArray(MessageId[]::new));

    Join ended = joins.find(join).orElseThrow();
    assertThat(ended.completedSteps()).isEqualTo(2);
    assertThat(ended.status()).isEqualTo(JoinStatus.COMPLETED);
    assertThat(joins.steps(join)).extracting(JoinStep::status).doesNotContainNull().hasSize(3);
  }

  @Test
  @Spec({"JOIN-042", "JOIN-043"})
  void theRoutinesMoveTheLastUpdateAndLeaveAnEndedJoinAlone() throws SQLException {
    JoinPlan.Started first = joins.plan().step("a", "1").step("a", "2").start();
    JoinPlan.Started cancelled = joins.plan().step("a", "3").step("a", "4").start();
    run("UPDATE outbox_join SET last_updated_at = created_at - INTERVAL '1 day'");
    joins.cancelJoin(cancelled.join());
    Join before = joins.find(cancelled.join()).orElseThrow();
    run("UPDATE outbox_join SET status = 2 WHERE status = 3");
    run("SELECT outbox_event_claim('me')");

    run("SELECT outbox_event_ack('me', ARRAY[?, ?])", step(first, 0), step(cancelled, 0));
    Join counted = joins.find(first.join()).orElseThrow();
    assertThat(counted.lastUpdatedAt()).isAfter(counted.createdAt());
    run(
        "SELECT outbox_event_fail('me', ARRAY[?, ?], 'broken')",
        step(first, 1),
        step(cancelled, 1));

    assertThat(joins.find(first.join()).orElseThrow().lastUpdatedAt())
        .isAfter(counted.lastUpdatedAt());
    assertThat(joins.find(cancelled.join()))
        .contains(before.ended(JoinStatus.FAILED, before.lastUpdatedAt()));
    assertThat(joins.missingSteps(cancelled.join())).isEmpty();
  }

  private static MessageId step(JoinPlan.Started started, int index) {
    return started.steps().get(index);
  }

  @Test
  @Spec("JOINU-04")
  void theRoutinesCountInTablesOfAnotherName() throws SQLException {
    OutboxSchema.of(database.dataSource()).withJoins("fan_in").withRoutines().deploy();
    JoinTracker tracker = new JoinTracker(new JdbcJoinStore().joinTableName("fan_in"));
    JoinCoordinator others = joins(tracker);
    JoinPlan.Started started = others.plan().step("a", "1").start();
    run("SELECT outbox_event_claim('me')");

    run("SELECT outbox_event_ack('me', ARRAY[?])", started.steps().get(0));

    assertThat(others.find(started.join()).orElseThrow().status()).isEqualTo(JoinStatus.COMPLETED);
  }

  private List<Object> counts(JoinPlan.Started started) {
    Join join = joins.find(started.join()).orElseThrow();
    return List.of(join.completedSteps(), join.failedSteps(), join.status());
  }

  private void run(String sql, MessageId... ids) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < ids.length; i++) {
        statement.setString(i + 1, ids[i].value());
      }
      statement.execute();
    }
  }

  private JoinCoordinator joins() {
    OutboxSchema.of(database.dataSource()).withJoins().withRoutines().deploy();
    return joins(new JoinTracker(new JdbcJoinStore()));
  }

  private JoinCoordinator joins(JoinTracker tracker) {
    return JoinCoordinator.builder(
            new DataSourceConnectionProvider(database.dataSource()),
            new JdbcOutboxRepository().hooked(tracker),
            tracker)
        .build();
  }
}
