package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;
import outbox.join.JoinCoordinator;
import outbox.join.JoinTracker;
import outbox.model.JoinIdentifier;
import outbox.model.MessageId;

/**
 * Who waits for a join is woken by the commit of the transaction that ended it, and by no other.
 */
class JoinAnnouncementTest {
  private final TestDatabase database = TestDatabase.create(Product.H2);
  private final DataSourceConnectionProvider connections =
      new DataSourceConnectionProvider(database.dataSource());
  private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
  private final JdbcTransactionManager transactions =
      new JdbcTransactionManager(connections, txContext);
  private final AtomicInteger wakeUps = new AtomicInteger();
  private final JoinTracker tracker = new JoinTracker(new JdbcJoinStore(), txContext);
  private final JdbcOutboxRepository events =
      JdbcOutboxRepository.builder().terminalHook(tracker).build();
  private final JoinCoordinator joins =
      JoinCoordinator.builder(connections, events, tracker).build();

  @BeforeEach
  void deploy() {
    OutboxSchema.of(database.dataSource()).withJoins().deploy();
    tracker.onDue(wakeUps::incrementAndGet);
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void anEndInTheThreadsTransactionIsAnnouncedByItsCommit() throws Exception {
    JoinIdentifier join = joins.startJoin(null, 1, null);

    transactions.run(
        connection -> {
          assertThat(joins.in(connection).cancelJoin(join)).isTrue();
          assertThat(wakeUps).hasValue(0);
        });

    assertThat(wakeUps).hasValue(1);
  }

  @Test
  void anEndInAnotherTransactionDoesNotWaitForTheThreads() throws Exception {
    JoinIdentifier join = joins.startJoin(null, 1, null);
    EventEnvelope step = EventEnvelope.ofJson("Step", "{}");
    List<String> ids = List.of(step.eventId());
    try (Connection connection = connections.getConnection()) {
      events.insertNew(connection, step);
      events.claimById(connection, "me", Duration.ofMinutes(1), ids);
    }
    joins.attach(join, new MessageId(step.eventId()));

    transactions.run(
        business -> {
          acknowledge(ids);
          assertThat(wakeUps).hasValue(1);
        });

    assertThat(wakeUps).hasValue(1);
  }

  private void acknowledge(List<String> ids) throws SQLException {
    try (Connection connection = connections.getConnection()) {
      events.ack(connection, "me", ids);
    }
  }
}
