package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;
import outbox.join.JoinCoordinator;
import outbox.join.JoinTracker;
import outbox.model.JoinIdentifier;
import outbox.model.MessageId;

/**
 * Operations that queue for a join whose row has a new version, while a transaction that attaches a
 * step still holds the foreign key's KEY SHARE lock of the old one. PostgreSQL then regards the old
 * version as being changed, although its successor is committed. A statement that locks the join
 * and updates it asks for the old version a second time, and meets the next in the queue there, who
 * waits for the new one.
 */
@Tag("slow")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class PostgresJoinLockTest {
  private static final String ME = "me";

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES_OLDEST", "POSTGRES_NEWEST"})
  @Spec({"JOIN-060", "JOIN-061", "JOIN-062"})
  void noTwoOperationsDeadlockBehindATransactionThatAttaches(Product product) throws Exception {
    try (TestDatabase database = TestDatabase.create(product)) {
      OutboxSchema.of(database.dataSource()).withJoins().withRoutines().deploy();
      Sessions sessions = new Sessions(database);
      for (Operation first : Operation.values()) {
        for (Operation second : Operation.values()) {
          sessions.queue(first, second);
        }
      }
    }
  }

  /** What locks a join, in a transaction of its own that is not tried again after a deadlock. */
  private enum Operation {
    ACK {
      @Override
      void run(Sessions sessions, Connection connection, JoinIdentifier join, String message) {
        assertThat(sessions.events.ack(connection, ME, List.of(message))).hasSize(1);
      }
    },
    ACK_BY_ROUTINE {
      @Override
      void run(Sessions sessions, Connection connection, JoinIdentifier join, String message)
          throws SQLException {
        try (PreparedStatement statement =
            connection.prepareStatement("SELECT outbox_event_ack(?, ARRAY[?])")) {
          statement.setString(1, ME);
          statement.setString(2, message);
          statement.execute();
        }
      }
    },
    ATTACH_ENDED {
      @Override
      void run(Sessions sessions, Connection connection, JoinIdentifier join, String message) {
        sessions.joins.in(connection).attach(join, sessions.ended);
      }
    },
    REPORT {
      @Override
      void run(Sessions sessions, Connection connection, JoinIdentifier join, String message) {
        sessions.joins.in(connection).reportStepFailed(join, new MessageId(message));
      }
    },
    WAIT {
      @Override
      void run(Sessions sessions, Connection connection, JoinIdentifier join, String message) {
        assertThat(sessions.store.lock(connection, join)).isPresent();
      }
    },
    CANCEL {
      @Override
      void run(Sessions sessions, Connection connection, JoinIdentifier join, String message) {
        sessions.joins.in(connection).cancelJoin(join);
      }
    };

    abstract void run(Sessions sessions, Connection connection, JoinIdentifier join, String message)
        throws SQLException;
  }

  /** Four sessions: one attaches, one changes the join, and two queue behind it. */
  private static final class Sessions {
    private final DataSourceConnectionProvider connections;
    private final JdbcJoinStore store = new JdbcJoinStore();
    private final JdbcOutboxRepository events;
    private final JoinCoordinator joins;
    private final MessageId ended;

    Sessions(TestDatabase database) throws SQLException {
      this.connections = new DataSourceConnectionProvider(database.dataSource());
      JoinTracker tracker = new JoinTracker(store);
      this.events = new JdbcOutboxRepository().hooked(tracker);
      this.joins = JoinCoordinator.builder(connections, events, tracker).build();
      this.ended = leased();
      try (Connection connection = connections.getConnection()) {
        events.ack(connection, ME, List.of(ended.value()));
      }
    }

    void queue(Operation first, Operation second) throws Exception {
      JoinIdentifier join = joins.startJoin(null, 100, null);
      List<MessageId> steps = List.of(leased(), leased(), leased());
      joins.attachAll(join, steps);
      ExecutorService threads = Executors.newFixedThreadPool(2);
      try (Connection attaching = begin();
          Connection changing = begin()) {
        joins.in(attaching).attach(join, leased());
        events.ack(changing, ME, List.of(steps.get(0).value()));
        List<Future<?>> queued = new ArrayList<>();
        for (Operation operation : List.of(first, second)) {
          String message = steps.get(queued.size() + 1).value();
          queued.add(
              threads.submit(
                  () -> {
                    try (Connection connection = begin()) {
                      operation.run(this, connection, join, message);
                      connection.commit();
                    }
                    return null;
                  }));
          await().atMost(Duration.ofMinutes(1)).until(() -> waiting() == queued.size());
        }

        changing.commit();

        for (Future<?> each : queued) {
          assertThat(each).as("%s before %s", first, second).succeedsWithin(Duration.ofMinutes(1));
        }
        attaching.commit();
      } finally {
        threads.shutdownNow();
      }
    }

    private Connection begin() throws SQLException {
      Connection connection = connections.getConnection();
      connection.setAutoCommit(false);
      return connection;
    }

    private int waiting() throws SQLException {
      try (Connection connection = connections.getConnection();
          Statement statement = connection.createStatement();
          ResultSet row =
              statement.executeQuery(
                  "SELECT COUNT(*) FROM pg_stat_activity"
                      + " WHERE datname = current_database() AND wait_event_type = 'Lock'")) {
        row.next();
        return row.getInt(1);
      }
    }

    private MessageId leased() throws SQLException {
      EventEnvelope event = EventEnvelope.ofJson("Step", "{}");
      try (Connection connection = connections.getConnection()) {
        events.insertNew(connection, event);
        events.claimById(connection, ME, Duration.ofHours(1), List.of(event.eventId()));
      }
      return new MessageId(event.eventId());
    }
  }
}
