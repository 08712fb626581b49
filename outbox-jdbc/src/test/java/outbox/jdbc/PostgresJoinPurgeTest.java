package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;
import outbox.join.JoinCoordinator;
import outbox.join.JoinTracker;
import outbox.model.JoinIdentifier;
import outbox.model.MessageId;

/**
 * A purge does not wait for a transaction that is about to end a step, and takes all of a join or
 * nothing.
 */
class PostgresJoinPurgeTest {
  private final TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST);
  private final DataSourceConnectionProvider connections =
      new DataSourceConnectionProvider(database.dataSource());
  private final JdbcJoinStore store = new JdbcJoinStore();
  private final JdbcOutboxRepository events = new JdbcOutboxRepository();
  private final JoinCoordinator joins =
      JoinCoordinator.builder(connections, events, new JoinTracker(store)).build();

  @BeforeEach
  void deploy() {
    OutboxSchema.of(database.dataSource()).withJoins().deploy();
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  @Timeout(value = 2, unit = TimeUnit.MINUTES)
  void aJoinWithAStepThatIsAboutToEndIsLeftToTheNextPurge() throws Exception {
    JoinIdentifier busy = cancelledJoin();
    cancelledJoin();
    try (Connection stranger = connections.getConnection();
        Statement statement = stranger.createStatement()) {
      stranger.setAutoCommit(false);
      statement.execute(
          "SELECT status FROM outbox_join_member WHERE join_id = '"
              + busy.value()
              + "' ORDER BY message_id LIMIT 1 FOR UPDATE");

      assertThat(purge()).isEqualTo(1);
      assertThat(joins.find(busy)).isPresent();
      assertThat(store.steps(stranger, busy, null)).hasSize(2);

      stranger.rollback();
    }

    assertThat(purge()).isEqualTo(1);
    assertThat(joins.find(busy)).isEmpty();
  }

  private JoinIdentifier cancelledJoin() throws Exception {
    EventEnvelope first = EventEnvelope.ofJson("Step", "{}");
    EventEnvelope second = EventEnvelope.ofJson("Step", "{}");
    try (Connection connection = connections.getConnection()) {
      events.insertNew(connection, first);
      events.insertNew(connection, second);
    }
    JoinIdentifier join = joins.startJoin(null, 2, null);
    joins.attachAll(join, List.of(new MessageId(first.eventId()), new MessageId(second.eventId())));
    assertThat(joins.cancelJoin(join)).isTrue();
    return join;
  }

  private int purge() throws Exception {
    try (Connection connection = connections.getConnection()) {
      return store.purge(connection, Duration.ZERO, 100);
    }
  }
}
