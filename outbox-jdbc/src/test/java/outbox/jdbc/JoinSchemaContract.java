package outbox.jdbc;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;
import outbox.join.JoinCoordinator;
import outbox.join.JoinTracker;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.MessageId;
import outbox.model.StepStatus;
import outbox.spi.StoreException;

/** What deploying the tables of joins does; subclasses say {@link On} which database. */
abstract class JoinSchemaContract {
  @SuppressWarnings("NullAway.Init")
  private TestDatabase database;

  @BeforeEach
  void create(TestInfo test) {
    On on = requireNonNull(test.getTestClass().orElseThrow().getAnnotation(On.class));
    database = TestDatabase.create(on.value());
  }

  @AfterEach
  void drop() {
    if (database != null) {
      database.close();
    }
  }

  @Test
  @Spec({"JOIN-090", "OBX-105", "JOINU-04"})
  void theTablesAreCreatedWhenAskedForAndNotOtherwise() throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      assertThatThrownBy(() -> new JdbcJoinStore().check(connection))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("table outbox_event is missing")
          .hasMessageEndingWith(
              "; run: outbox schema migrate --joins, or"
                  + " OutboxSchema.of(dataSource).withJoins().deploy(), or set createSchema() on the"
                  + " builder; for Flyway, Liquibase or a DBA: outbox schema print --joins");
    }
    schema().deploy();
    assertThat(tables()).contains("outbox_event").doesNotContain("outbox_join");
    try (Connection connection = database.dataSource().getConnection()) {
      assertThatThrownBy(() -> new JdbcJoinStore().check(connection))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "table outbox_join is missing; run: outbox schema migrate --joins, or"
                  + " OutboxSchema.of(dataSource).withJoins().deploy(), or set createSchema() on the"
                  + " builder; for Flyway, Liquibase or a DBA: outbox schema print --joins");
      assertThatThrownBy(() -> new JdbcJoinStore().joinTableName("fan_in").check(connection))
          .hasMessage(
              "table fan_in is missing; run: outbox schema migrate --joins=fan_in, or"
                  + " OutboxSchema.of(dataSource).withJoins(\"fan_in\").deploy(), or set createSchema()"
                  + " on the builder; for Flyway, Liquibase or a DBA: outbox schema print"
                  + " --joins=fan_in");
    }

    schema().withJoins().deploy();

    assertThat(tables()).contains("outbox_join", "outbox_join_member", "outbox_join_wait");
    try (Connection connection = database.dataSource().getConnection()) {
      assertThatCode(() -> new JdbcJoinStore().check(connection)).doesNotThrowAnyException();
    }
  }

  @Test
  @Spec({"JOIN-082", "JOIN-090", "JOINU-05"})
  void stepsAreFoundByMessageAndJoinsByGroupingKey() throws SQLException {
    schema().withJoins().deploy();

    assertThat(indexedFirst("outbox_join")).contains("grouping_key");
    assertThat(indexedFirst("outbox_join_member")).contains("join_id", "message_id");
    assertThat(primaryKey("outbox_join_member")).containsExactly("join_id", "message_id");
  }

  /** What a script or a person inserts needs no more than this. */
  @Test
  @Spec("JOINU-08")
  void aRowWithoutIdAndTimesGetsThem() {
    schema().withJoins().deploy();
    database.execute(
        "INSERT INTO outbox_join (grouping_key, expected_steps) VALUES ('by hand', 1)",
        "INSERT INTO outbox_join (grouping_key, expected_steps) VALUES ('by hand', 2)",
        "INSERT INTO outbox_join_member (join_id, message_id)"
            + " SELECT join_id, 'any' FROM outbox_join WHERE expected_steps = 1");

    List<Join> found = joins("outbox_join").findByGroupingKey("by hand");

    Instant now = Instant.now();
    assertThat(found).extracting(Join::id).doesNotHaveDuplicates().hasSize(2);
    assertThat(found)
        .allSatisfy(
            join -> {
              assertThat(join.createdAt()).isCloseTo(now, within(5, ChronoUnit.MINUTES));
              assertThat(join.lastUpdatedAt()).isCloseTo(now, within(5, ChronoUnit.MINUTES));
              assertThat(join.status()).isEqualTo(JoinStatus.PENDING);
              assertThat(join.completedSteps() + join.failedSteps()).isZero();
            });
    assertThat(found)
        .flatMap(join -> joins("outbox_join").steps(join.id()))
        .singleElement()
        .satisfies(
            step -> {
              assertThat(step.status()).isEqualTo(StepStatus.PENDING);
              assertThat(step.createdAt()).isCloseTo(now, within(5, ChronoUnit.MINUTES));
            });
  }

  /** Left out: defaults that are expressions, which databases tell in words of their own. */
  @Test
  @Spec("JOINU-10")
  void theTablesHaveTheColumnsOfTheSpecification() throws SQLException {
    schema().withJoins().deploy();

    Map<String, String> join = TableShape.constraints(database.dataSource(), "outbox_join");
    assertThat(join)
        .containsEntry("grouping_key", "NULL")
        .containsEntry("expected_steps", "NOT NULL")
        .containsEntry("completed_steps", "NOT NULL DEFAULT 0")
        .containsEntry("failed_steps", "NOT NULL DEFAULT 0")
        .containsEntry("status", "NOT NULL DEFAULT 0")
        .containsEntry("metadata", "NULL");
    for (String required : List.of("join_id", "created_at", "last_updated_at")) {
      assertThat(join.get(required)).as(required).startsWith("NOT NULL DEFAULT ");
    }
    Map<String, String> member =
        TableShape.constraints(database.dataSource(), "outbox_join_member");
    assertThat(member)
        .containsEntry("join_id", "NOT NULL")
        .containsEntry("message_id", "NOT NULL")
        .containsEntry("status", "NOT NULL DEFAULT 0");
    assertThat(member.get("created_at")).startsWith("NOT NULL DEFAULT ");
    assertThat(TableShape.columnSizes(database.dataSource(), "outbox_join"))
        .containsEntry("grouping_key", 255);
    assertThat(primaryKey("outbox_join")).containsExactly("join_id");
  }

  @Test
  @Spec({"JOIN-023", "JOINU-05", "JOINU-10"})
  void theDatabaseItselfKeepsJoinsAndStepsTogether() throws SQLException {
    schema().withJoins().deploy();
    JoinIdentifier join = joins("outbox_join").startJoin(null, 2, null);
    String member = "INSERT INTO outbox_join_member (join_id, message_id) VALUES ('%s', 'any')";
    String step = member.formatted(join);
    database.execute(step);

    assertThatThrownBy(() -> database.execute(step)).hasRootCauseInstanceOf(SQLException.class);
    assertThatThrownBy(() -> database.execute(member.formatted("nowhere")))
        .hasRootCauseInstanceOf(SQLException.class);
    for (String counted : List.of("completed_steps = 3", "completed_steps = 2, failed_steps = 1")) {
      assertThatThrownBy(() -> database.execute("UPDATE outbox_join SET " + counted))
          .as(counted)
          .hasRootCauseInstanceOf(SQLException.class);
    }
    database.execute("DELETE FROM outbox_join");
    assertThat(joins("outbox_join").steps(join)).isEmpty();
  }

  @Test
  @Spec({"JOIN-014", "JOIN-033", "JOINU-05"})
  void stepsDependOnTheirJoinAndNothingOnTheEvents() throws SQLException {
    schema().withJoins().deploy();

    assertThat(foreignKeys("outbox_join_member")).containsExactly("outbox_join");
    assertThat(foreignKeys("outbox_join_wait")).containsExactly("outbox_join");
    assertThat(foreignKeys("outbox_join")).isEmpty();
    assertThat(foreignKeys("outbox_event")).isEmpty();
    assertThat(TableShape.columnSizes(database.dataSource()))
        .allSatisfy((column, size) -> assertThat(column).doesNotContain("join"));
  }

  @Test
  @Spec({"JOIN-091", "JOIN-092"})
  void deployingAgainChangesNothingAndTheEventsStayAsTheyAre() throws SQLException {
    schema().deploy();
    List<Object> before = shapeOfTheEvents();
    schema().withJoins().deploy();
    JoinIdentifier kept = joins("outbox_join").startJoin(null, 1, null);
    database.execute(
        "INSERT INTO outbox_join_member (join_id, message_id) VALUES ('" + kept + "', 'any')");

    schema().withJoins().deploy();

    assertThat(shapeOfTheEvents()).isEqualTo(before);
    assertThat(joins("outbox_join").find(kept)).isPresent();
    assertThat(joins("outbox_join").steps(kept)).hasSize(1);
  }

  private List<Object> shapeOfTheEvents() throws SQLException {
    return List.of(
        TableShape.columnSizes(database.dataSource()),
        TableShape.constraints(database.dataSource()),
        List.copyOf(TableShape.indexesOf(database.dataSource(), "outbox_event")));
  }

  @Test
  @Spec("JOINU-04")
  void tablesOfAnotherNameAreIndependent() {
    schema().withJoins().deploy();
    schema().withJoins("billing_join").deploy();

    JoinIdentifier join = joins("billing_join").startJoin(null, 1, null);

    assertThat(joins("billing_join").find(join)).isPresent();
    assertThat(joins("outbox_join").find(join)).isEmpty();
    assertThatThrownBy(() -> new JdbcJoinStore().joinTableName("a;b"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theScriptHasTheTablesOfJoinsToo() {
    assertThat(schema().script()).doesNotContain("outbox_join");
    assertThat(schema().withJoins().script()).contains("outbox_join_member");
  }

  /** Nothing is slower without joins: the statements are those of a store that knows no hook. */
  @Test
  void withoutAHookNoStatementIsAdded() throws SQLException {
    schema().withJoins().deploy();
    JdbcOutboxRepository plain = new JdbcOutboxRepository();
    JdbcOutboxRepository hooked = plain.hooked(new JoinTracker(new JdbcJoinStore()));

    List<String> without = statementsOfAnAck(plain);
    List<String> with = statementsOfAnAck(hooked);

    assertThat(without).noneMatch(sql -> sql.contains("_join"));
    assertThat(with).startsWith(without.toArray(String[]::new));
    assertThat(with.size() - without.size()).isBetween(1, 2);
  }

  private List<String> statementsOfAnAck(JdbcOutboxRepository store) throws SQLException {
    List<String> statements = new ArrayList<>();
    try (Connection connection = database.dataSource().getConnection()) {
      EventEnvelope event = EventEnvelope.ofJson("Any", "{}");
      store.insertNew(connection, event);
      List<String> ids = List.of(event.eventId());
      store.claimById(connection, "me", Duration.ofMinutes(1), ids);
      assertThat(store.ack(recording(connection, statements), "me", ids)).hasSize(1);
    }
    return statements;
  }

  private static Connection recording(Connection connection, List<String> statements) {
    return (Connection)
        Proxy.newProxyInstance(
            JoinSchemaContract.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("prepareStatement")) {
                String sql = (String) arguments[0];
                statements.add(sql.replaceFirst("\n-- plan \\d+$", ""));
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void aCallerAtRepeatableReadMissesNoStep() throws SQLException {
    schema().withJoins().deploy();
    JoinTracker tracker = new JoinTracker(new JdbcJoinStore());
    JdbcOutboxRepository events = new JdbcOutboxRepository().hooked(tracker);
    JoinCoordinator joins = joins("outbox_join");
    EventEnvelope event = EventEnvelope.ofJson("Any", "{}");
    List<String> ids = List.of(event.eventId());
    try (Connection connection = database.dataSource().getConnection()) {
      events.insertNew(connection, event);
      events.claimById(connection, "me", Duration.ofMinutes(1), ids);
    }
    JoinIdentifier join = joins.startJoin(null, 1, null);
    boolean acknowledged;
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      takeSnapshot(connection);
      joins.attach(join, new MessageId(event.eventId()));
      acknowledged = acknowledges(events, connection, ids);
    }

    JoinStatus expected = acknowledged ? JoinStatus.COMPLETED : JoinStatus.PENDING;
    assertThat(joins.find(join).orElseThrow().status()).isEqualTo(expected);
    assertThat(
            EventRow.find(database.dataSource(), event.eventId()).orElseThrow().status().isLive())
        .isNotEqualTo(acknowledged);
  }

  /** On H2 such a wait looks again after a minute. */
  @Test
  void aCallerAtRepeatableReadLosesNoWakeUp() throws SQLException {
    assumeThat(this).isNotInstanceOf(H2JoinSchemaTest.class);
    schema().withJoins().deploy();
    JdbcJoinStore store = new JdbcJoinStore();
    JdbcOutboxRepository events = new JdbcOutboxRepository().hooked(new JoinTracker(store));
    JoinCoordinator joins = joins("outbox_join");
    EventEnvelope event = EventEnvelope.ofJson("Any", "{}");
    List<String> ids = List.of(event.eventId());
    JoinIdentifier join = joins.startJoin(null, 1, null);
    try (Connection connection = database.dataSource().getConnection()) {
      events.insertNew(connection, event);
      joins.attach(join, new MessageId(event.eventId()));
      events.claimById(connection, "me", Duration.ofMinutes(1), ids);
    }
    String waiting;
    boolean acknowledged;
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      takeSnapshot(connection);
      waiting = joins.enqueueJoinWait(join, false, "next", "{}", null, null).value();
      park(store, events, join, waiting);
      acknowledged = acknowledges(events, connection, ids);
    }

    Instant dueAt = EventRow.find(database.dataSource(), waiting).orElseThrow().availableAt();
    assertThat(dueAt.isBefore(Instant.now().plusSeconds(20))).isEqualTo(acknowledged);
  }

  /** As the handler of waits does. */
  private void park(
      JdbcJoinStore store, JdbcOutboxRepository events, JoinIdentifier join, String waiting)
      throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      events.claimById(connection, "other", Duration.ofMinutes(1), List.of(waiting));
      connection.setAutoCommit(false);
      assertThat(store.lock(connection, join)).isPresent();
      events.defer(connection, "other", List.of(waiting), Duration.ofMinutes(1));
      connection.commit();
      connection.setAutoCommit(true);
    }
  }

  private static void takeSnapshot(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT COUNT(*) FROM outbox_event");
    }
  }

  private static boolean acknowledges(
      JdbcOutboxRepository events, Connection connection, List<String> ids) throws SQLException {
    try {
      events.ack(connection, "me", ids);
      connection.commit();
      return true;
    } catch (StoreException e) {
      connection.rollback();
      assertThat(e)
          .cause()
          .isInstanceOfSatisfying(
              SQLException.class, refusal -> assertThat(refusal.getSQLState()).startsWith("40"));
      return false;
    } finally {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    }
  }

  private OutboxSchema schema() {
    return OutboxSchema.of(database.dataSource());
  }

  private JoinCoordinator joins(String table) {
    JdbcJoinStore store = new JdbcJoinStore().joinTableName(table);
    return JoinCoordinator.builder(
            new DataSourceConnectionProvider(database.dataSource()),
            new JdbcOutboxRepository(),
            new JoinTracker(store))
        .build();
  }

  private Set<String> tables() throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        ResultSet found =
            connection
                .getMetaData()
                .getTables(connection.getCatalog(), connection.getSchema(), "%", null)) {
      return names(found, "TABLE_NAME");
    }
  }

  private List<String> primaryKey(String table) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        ResultSet found =
            connection
                .getMetaData()
                .getPrimaryKeys(
                    connection.getCatalog(), connection.getSchema(), stored(connection, table))) {
      return List.copyOf(names(found, "COLUMN_NAME"));
    }
  }

  private Set<String> foreignKeys(String table) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        ResultSet found =
            connection
                .getMetaData()
                .getImportedKeys(
                    connection.getCatalog(), connection.getSchema(), stored(connection, table))) {
      return names(found, "PKTABLE_NAME");
    }
  }

  /** The columns that some index begins with. */
  private Set<String> indexedFirst(String table) throws SQLException {
    Set<String> columns = new TreeSet<>();
    try (Connection connection = database.dataSource().getConnection();
        ResultSet found =
            connection
                .getMetaData()
                .getIndexInfo(
                    connection.getCatalog(),
                    connection.getSchema(),
                    stored(connection, table),
                    false,
                    true)) {
      while (found.next()) {
        if (found.getInt("ORDINAL_POSITION") == 1) {
          columns.add(found.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
        }
      }
    }
    return columns;
  }

  private static Set<String> names(ResultSet found, String column) throws SQLException {
    Set<String> names = new TreeSet<>();
    while (found.next()) {
      names.add(found.getString(column).toLowerCase(Locale.ROOT));
    }
    return names;
  }

  private static String stored(Connection connection, String table) throws SQLException {
    DatabaseMetaData database = connection.getMetaData();
    return database.storesUpperCaseIdentifiers() ? table.toUpperCase(Locale.ROOT) : table;
  }
}
