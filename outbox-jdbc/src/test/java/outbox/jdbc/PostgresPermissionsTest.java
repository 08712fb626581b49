package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;
import outbox.spi.LeasedEventStore.ClaimRequest;

/**
 * What the rights suffice for that the schema's page grants, and what not. The store contract runs
 * under them as well.
 */
class PostgresPermissionsTest {
  private final TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST);

  @SuppressWarnings("NullAway.Init")
  private RestrictedUser user;

  @BeforeEach
  void deployAndGrant() {
    OutboxSchema.of(database.dataSource()).withRoutines().deploy();
    user = new RestrictedUser(database);
  }

  @AfterEach
  void drop() {
    user.close();
    database.close();
  }

  @Test
  @Spec("OBX-117")
  void anOutboxRunsWithTheRightsOnTheTableAlone() throws Exception {
    database.execute(
        "REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM " + database.name() + "_app");
    CountDownLatch delivered = new CountDownLatch(1);
    try (JdbcOutbox outbox =
        JdbcOutbox.builder(user.database().dataSource())
            .createSchema()
            .listener("Type", event -> delivered.countDown())
            .start()) {
      outbox.inTransaction(connection -> outbox.publish(EventEnvelope.ofJson("Type", "{}")));

      assertThat(delivered.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  @Spec({"OBX-117", "OBX-118"})
  void theRoutinesNeedExecuteAndTheTable() throws SQLException {
    try (Connection connection = user.database().dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT outbox_event_enqueue('Type', '{}')");
      assertThat(
              new JdbcOutboxRepository()
                  .claim(
                      connection,
                      new ClaimRequest(
                          "me", Duration.ofMinutes(1), 10, Long.MAX_VALUE, null, Duration.ZERO))
                  .events())
          .hasSize(1);
    }
    String role = database.name() + "_app";
    for (String revoked :
        List.of(
            "REVOKE INSERT ON outbox_event FROM " + role,
            "REVOKE EXECUTE ON FUNCTION outbox_event_enqueue FROM " + role)) {
      database.execute(revoked);
      assertThatThrownBy(() -> user.database().execute("SELECT outbox_event_enqueue('T', '{}')"))
          .hasMessageContaining("permission denied");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE mine (id int)",
        "ALTER TABLE outbox_event ADD COLUMN mine int",
        "DROP TABLE outbox_event",
        "TRUNCATE outbox_event",
        "INSERT INTO outbox_event_schema (version) VALUES (99)",
        "DROP FUNCTION outbox_event_claim"
      })
  void moreThanThatIsRefused(String sql) {
    assertThatThrownBy(() -> user.database().execute(sql))
        .hasRootCauseInstanceOf(SQLException.class)
        .rootCause()
        .satisfies(e -> assertThat(((SQLException) e).getSQLState()).isEqualTo("42501"));
  }

  @Test
  @Spec("OBX-118")
  void aRoutineNeedsAGrantToBeCalled() throws SQLException {
    String stranger = database.name() + "_stranger";
    database.execute(
        "CREATE ROLE " + stranger + " LOGIN", "GRANT ALL ON outbox_event TO " + stranger);
    try (TestDatabase entered = database.as(stranger)) {
      for (String call :
          List.of(
              "SELECT outbox_event_enqueue('T', '{}')",
              "SELECT outbox_event_claim('me')",
              "SELECT outbox_event_ack('me', '{a}')",
              "SELECT outbox_event_abandon('me', '{a}')",
              "SELECT outbox_event_defer('me', '{a}', '1 second')",
              "SELECT outbox_event_fail('me', '{a}', 'broken')",
              "SELECT outbox_event_renew('me', '{a}')",
              "SELECT outbox_event_settled('{}', 1)",
              "SELECT outbox_event_reap()")) {
        assertThatThrownBy(() -> entered.execute(call)).hasMessageContaining("permission denied");
      }
    } finally {
      database.execute("DROP OWNED BY " + stranger, "DROP ROLE " + stranger);
    }
  }
}
