package outbox.jdbc.internal.query;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.pool.BorrowedConnection;
import outbox.spi.StoreException;

/** Statements of an application's own, and the connection that they borrow. */
class BoundedQueriesTest {
  private static final Instant LONG_AGO = Instant.parse("2001-02-03T04:05:06.000007Z");

  private final TestDatabase database = TestDatabase.create(Product.H2);
  private final BoundedQueries queries = builder(database.dataSource()).build();

  @BeforeEach
  void create() {
    database.execute(
        "CREATE TABLE noted (id VARCHAR(10) PRIMARY KEY, size BIGINT, content VARBINARY(10),"
            + " at_time TIMESTAMP(6) WITH TIME ZONE)");
  }

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void readsWhatWasWritten() {
    note("a", 3, LONG_AGO);
    note("b", 4, null);

    assertThat(
            queries.<Integer>change(
                session ->
                    session.update(
                        "grow",
                        values ->
                            values
                                .ids(List.of("a", "c"))
                                .duration("growth", Duration.ofMillis(2)))))
        .isEqualTo(1);

    assertThat(read(row -> row.required("id") + " " + row.number("size")))
        .containsExactly("a 2003", "b 4");
    assertThat(read(row -> row.requiredInstant("at_time"), "a")).containsExactly(LONG_AGO);
    assertThat(read(row -> row.integer("past"), "a")).containsExactly(1);
    assertThat(read(row -> requireNonNull(row.bytes("content")), "a").get(0)).containsExactly(1, 2);
    assertThat(read(row -> row.bytes("content") == null, "b")).containsExactly(true);
    assertThat(read(row -> String.valueOf(row.instant("at_time")), "b")).containsExactly("null");
    assertThat(read(row -> row.integer("past"), "b")).containsExactly(0);
  }

  @Test
  void aValueThatMustBeThereIsNamedIfItIsNot() {
    note("a", 3, null);
    database.execute("UPDATE noted SET size = NULL");

    assertThatThrownBy(() -> read(row -> row.requiredInstant("at_time")))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("at_time");
    assertThatThrownBy(() -> read(row -> row.required("at_time")))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("at_time");
    assertThat(read(row -> String.valueOf(row.number("size")), "a")).containsExactly("null");
    assertThat(read(row -> String.valueOf(row.text("at_time")), "a")).containsExactly("null");
  }

  @Test
  void aChangeThatFailsIsUndone() {
    assertThatThrownBy(
            () ->
                queries.change(
                    session -> {
                      insert(session, "a", 3, null);
                      throw new IllegalStateException("on purpose");
                    }))
        .hasMessage("on purpose");

    assertThat(read(row -> row.required("id"))).isEmpty();
  }

  @Test
  void aStatementThatFailsIsNamedWithoutWhatTheDatabaseSays() {
    note("a", 3, null);

    assertThatThrownBy(() -> note("a", 4, null))
        .isInstanceOf(StoreException.class)
        .hasMessage("statement note failed, SQLState 23505");
    assertThatThrownBy(() -> queries.change(session -> session.update("unknown", values -> {})))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("unknown");
  }

  @Test
  void aLookSeesOneStateAndAChangeTheNewest() {
    assertThat(queries.<Integer>look(BoundedQueriesTest::level))
        .isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
    assertThat(queries.<Integer>change(BoundedQueriesTest::level))
        .isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
  }

  @Test
  void theConnectionGoesBackAsItCameWhateverHappened() throws SQLException {
    try (Connection only = database.connect()) {
      only.setAutoCommit(false);
      only.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      BoundedQueries borrowing = builder(lending(only)).build();

      assertThat(borrowing.look(BoundedQueries.Session::product)).isEqualTo("H2");
      assertAsItCame(only);
      borrowing.change(session -> insert(session, "a", 3, null));
      assertAsItCame(only);
      assertThatThrownBy(
              () ->
                  borrowing.change(
                      session -> {
                        throw new IllegalStateException("on purpose");
                      }))
          .hasMessage("on purpose")
          .hasNoSuppressedExceptions();
      assertAsItCame(only);
    }
  }

  /** The limit of a look is lifted, and so is the limit of a statement, which H2 keeps. */
  private static void assertAsItCame(Connection connection) throws SQLException {
    assertThat(connection.getAutoCommit()).isFalse();
    assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
    try (Statement statement = connection.createStatement()) {
      assertThat(statement.getQueryTimeout()).isZero();
    }
  }

  @Test
  void aTimeLimitIsPositive() {
    assertThatThrownBy(() -> builder(database.dataSource()).timeLimit(Duration.ZERO))
        .hasMessage("timeLimit (PT0S) must be positive");
    assertThatThrownBy(() -> builder(database.dataSource()).timeLimit(Duration.ofMillis(-1)))
        .hasMessage("timeLimit (PT-0.001S) must be positive");
  }

  @Test
  void theTextsAreThoseThatTheDriverGets() {
    assertThat(builder(database.dataSource()).texts("H2"))
        .containsOnlyKeys("note", "grow", "noted")
        .containsEntry("note", "INSERT INTO noted (id, size, at_time) VALUES (?, ?, ?)")
        .hasEntrySatisfying("grow", sql -> assertThat(sql).endsWith("WHERE id IN (?)"))
        .hasEntrySatisfying("noted", sql -> assertThat(sql).contains("at_time < CAST(? AS"));
  }

  private static BoundedQueries.Builder builder(DataSource dataSource) {
    return BoundedQueries.builder(dataSource, BoundedQueriesTest.class, "queries");
  }

  private void note(String id, long size, @Nullable Instant at) {
    assertThat(queries.<Integer>change(session -> insert(session, id, size, at))).isEqualTo(1);
  }

  private static int insert(
      BoundedQueries.Session session, String id, long size, @Nullable Instant at) {
    return session.update(
        "note", values -> values.text("id", id).number("size", size).instant("at", at));
  }

  private <T> List<T> read(Row.Reader<T> reader) {
    return queries.look(
        session -> session.query("noted", values -> values.text("of", null), reader));
  }

  private <T> List<T> read(Row.Reader<T> reader, String id) {
    return queries.look(session -> session.query("noted", values -> values.text("of", id), reader));
  }

  private static int level(BoundedQueries.Session session) {
    try {
      return session.connection().getTransactionIsolation();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Gives the same connection each time, and leaves it open. */
  private static DataSource lending(Connection only) {
    return (DataSource)
        Proxy.newProxyInstance(
            BoundedQueriesTest.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> BorrowedConnection.of(only, kept -> {}));
  }
}
