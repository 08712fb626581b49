package outbox.admin.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.query.BoundedQueries;
import outbox.jdbc.schema.OutboxSchema;
import outbox.model.DeadLetterFilter;

/** No query makes the database work for longer than was allowed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TimeLimitTest {
  private static final Duration LIMIT = Duration.ofSeconds(1);

  private final TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST);
  private final OperatedDatabase operated =
      OperatedDatabase.builder("busy", database.dataSource()).timeLimit(LIMIT).build();

  @BeforeAll
  void deploy() {
    OutboxSchema.of(database.dataSource()).deploy();
  }

  @AfterAll
  void close() {
    database.close();
  }

  @Test
  void aStatementThatTakesTooLongIsStopped() throws SQLException {
    try (Connection other = database.dataSource().getConnection()) {
      other.setAutoCommit(false);
      other.createStatement().execute("LOCK TABLE outbox_event IN ACCESS EXCLUSIVE MODE");
      assertThatExceptionOfType(TooSlowException.class)
          .isThrownBy(() -> operated.events().list(EventQuery.of(EventView.ALL)))
          .withMessageContaining("timeLimit (PT1S)");
      assertThatExceptionOfType(TooSlowException.class).isThrownBy(operated::snapshot);
      assertThatExceptionOfType(TooSlowException.class)
          .isThrownBy(() -> operated.events().deadLetters().count(DeadLetterFilter.all()));
      other.rollback();
    }
    assertThat(operated.events().list(EventQuery.of(EventView.ALL)).items()).isEmpty();
  }

  @Test
  void aServerThatSaysNothingMoreIsNotWaitedForForEver() {
    BoundedQueries queries =
        Tables.outboxQueries(OperatedDatabase.builder("one", database.dataSource()))
            .timeLimit(LIMIT)
            .build();
    assertThat(queries.<Integer>look(session -> networkTimeout(session.connection())))
        .isEqualTo(3_000);
    assertThat(queries.<Integer>change(session -> networkTimeout(session.connection()))).isZero();
  }

  private static int networkTimeout(Connection connection) {
    try {
      return connection.getNetworkTimeout();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aConnectionGoesBackAsItCame() throws SQLException {
    try (Connection kept = database.dataSource().getConnection()) {
      OperatedDatabase onOne =
          OperatedDatabase.builder("one", new KeptConnection(kept).asDataSource()).build();
      onOne.snapshot();
      onOne.events().list(EventQuery.of(EventView.ALL));
      assertThat(kept.getAutoCommit()).isTrue();
      assertThat(kept.isReadOnly()).isFalse();
      assertThat(kept.getNetworkTimeout()).isZero();
      for (String setting : new String[] {"statement_timeout", "enable_sort", "plan_cache_mode"}) {
        try (ResultSet row =
            kept.createStatement()
                .executeQuery(
                    "SELECT setting = reset_val FROM pg_settings WHERE name = '" + setting + "'")) {
          row.next();
          assertThat(row.getBoolean(1)).as(setting).isTrue();
        }
      }
    }
  }
}
