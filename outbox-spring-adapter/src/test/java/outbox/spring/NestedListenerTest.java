package outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.PGConnection;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.jdbc.JdbcOutbox;

/** A transactional listener that reaches past its connection inside a nested transaction. */
class NestedListenerTest {
  private final HikariDataSource dataSource = TestDatabases.postgres();
  private final JdbcTemplate jdbc = new JdbcTemplate(dataSource);
  private final DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
  private final List<Boolean> attempts = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    dataSource.close();
  }

  /** How the listener reaches past its connection. */
  enum Reach {
    UNWRAPPED {
      @Override
      void past(Connection connection) throws SQLException {
        assertThat(connection.unwrap(PGConnection.class)).isNotNull();
      }
    },
    CONTROL_TEXT {
      @Override
      void past(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
          statement.execute("SAVEPOINT mine");
          statement.execute("RELEASE SAVEPOINT mine");
        }
      }
    };

    abstract void past(Connection connection) throws SQLException;
  }

  @ParameterizedTest
  @CsvSource({
    "UNWRAPPED, true, true",
    "UNWRAPPED, true, false",
    "UNWRAPPED, false, true",
    "UNWRAPPED, false, false",
    "CONTROL_TEXT, true, true",
    "CONTROL_TEXT, true, false",
    "CONTROL_TEXT, false, true",
    "CONTROL_TEXT, false, false",
  })
  void listenerIsCompletedAtItsFirstAttempt(Reach reach, boolean kept, boolean watched) {
    jdbc.execute("CREATE TABLE effect (place VARCHAR(10))");
    try (JdbcOutbox outbox = start(reach, kept, watched)) {
      new TransactionTemplate(manager)
          .executeWithoutResult(status -> outbox.publish(EventEnvelope.ofJson("nested", "{}")));

      await().atMost(Duration.ofSeconds(60)).until(() -> done() == 1 || attempts.size() > 1);
    }
    assertThat(attempts).hasSize(1);
    assertThat(jdbc.queryForList("SELECT place FROM effect ORDER BY place", String.class))
        .isEqualTo(kept ? List.of("inside", "outside") : List.of("outside"));
  }

  private JdbcOutbox start(Reach reach, boolean kept, boolean watched) {
    SpringTxContext context = new SpringTxContext(dataSource);
    return JdbcOutbox.builder(dataSource)
        .createSchema()
        .config(new OutboxConfig().setPollerIntervalMs(100).setRetryBaseDelayMs(1))
        .transactions(
            watched ? context.watch(manager) : context,
            new SpringTransactionRunner(manager, dataSource))
        .transactionalListener(
            "nested",
            (event, connection) -> {
              attempts.add(kept);
              jdbc.update("INSERT INTO effect VALUES ('outside')");
              inNested(reach, kept);
            })
        .start();
  }

  private void inNested(Reach reach, boolean kept) {
    TransactionTemplate nested = new TransactionTemplate(manager);
    nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
    nested.executeWithoutResult(
        status -> {
          jdbc.update("INSERT INTO effect VALUES ('inside')");
          jdbc.execute(
              (ConnectionCallback<Boolean>)
                  connection -> {
                    reach.past(connection.unwrap(Connection.class));
                    return true;
                  });
          if (!kept) {
            status.setRollbackOnly();
          }
        });
  }

  private int done() {
    Integer done =
        jdbc.queryForObject("SELECT count(*) FROM outbox_event WHERE status = 1", Integer.class);
    return done == null ? 0 : done;
  }
}
