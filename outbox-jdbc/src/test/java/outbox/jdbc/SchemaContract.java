package outbox.jdbc;

import static java.util.Map.entry;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.jdbc.TableShape.columnSizes;
import static outbox.jdbc.TableShape.indexColumns;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.jdbc.internal.dialect.PostgresDialect;
import outbox.jdbc.internal.schema.SchemaVersion;
import outbox.jdbc.schema.OutboxSchema;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.ClaimedEvent;
import outbox.spi.StoreException;

/** What deploying the schema does; subclasses say {@link On} which database. */
abstract class SchemaContract {
  @SuppressWarnings("NullAway.Init")
  private TestDatabase database;

  private final JdbcOutboxRepository store = new JdbcOutboxRepository();

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
  @Spec("OBX-103")
  void nothingIsCreatedUnlessAskedFor() throws SQLException {
    try (Connection connection = dataSource().getConnection()) {
      assertThatThrownBy(() -> store.check(connection))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("outbox_event")
          .hasMessageContaining("is missing")
          .hasMessageContaining("deploy()");
    }
    assertThat(TableShape.tables(dataSource())).isEmpty();
  }

  @Test
  @Spec({"OBX-103", "OBXU-10", "IBX-115", "JOINU-04"})
  void noOutboxAndNoInboxCreatesASchemaUnlessAskedTo() throws SQLException {
    assertThatThrownBy(() -> JdbcOutbox.builder(dataSource()).start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is missing");
    assertThatThrownBy(() -> JdbcOutbox.builder(dataSource()).joins().start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is missing");
    assertThatThrownBy(() -> JdbcInbox.builder(dataSource()).start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is missing");
    JdbcOutboxes.builder().database("only", dataSource()).start().close();
    JdbcInboxes.builder().database("only", dataSource()).start().close();

    assertThat(TableShape.tables(dataSource())).isEmpty();
  }

  @Test
  @Spec({"FRM-26", "FRM-95"})
  void version1HasTheKeyTheNullsAndTheDefaultsOfItsSpecification() throws SQLException {
    Version1.create(dataSource());

    assertThat(TableShape.primaryKey(dataSource())).containsExactly("event_id");
    assertThat(TableShape.constraints(dataSource()))
        .containsExactlyInAnyOrderEntriesOf(
            Map.ofEntries(
                entry("event_id", "NOT NULL"),
                entry("event_type", "NOT NULL"),
                entry("aggregate_type", "NULL"),
                entry("aggregate_id", "NULL"),
                entry("tenant_id", "NULL"),
                entry("payload", "NOT NULL"),
                entry("headers", "NULL"),
                entry("status", "NOT NULL"),
                entry("attempts", "NOT NULL DEFAULT 0"),
                entry("available_at", "NOT NULL"),
                entry("created_at", "NOT NULL"),
                entry("done_at", "NULL"),
                entry("last_error", "NULL")));
  }

  /** Left: the specification's column. An id, an instant and a status are given by every insert. */
  @Test
  @Spec({"OBX-109", "OBXU-11"})
  void aNewTableHasTheColumnsOfTheWorkQueueUnderItsOwnNames() throws SQLException {
    schema().deploy();

    Map<String, String> columns = TableShape.constraints(dataSource());
    assertThat(TableShape.primaryKey(dataSource())).containsExactly("event_id");
    assertThat(columns)
        .containsEntry("event_id", "NOT NULL") // Id, MessageId
        .containsEntry("event_type", "NOT NULL") // Topic
        .containsEntry("created_at", "NOT NULL") // CreatedAt
        .containsEntry("status", "NOT NULL") // Status, IsProcessed
        .containsEntry("owner_token", "NULL") // OwnerToken
        .containsEntry("available_at", "NOT NULL") // LockedUntil, NextAttemptAt
        .containsEntry("done_at", "NULL") // ProcessedAt
        .containsEntry("processed_by", "NULL") // ProcessedBy
        .containsEntry("attempts", "NOT NULL DEFAULT 0") // RetryCount
        .containsEntry("last_error", "NULL") // LastError
        .containsEntry("correlation_id", "NULL") // CorrelationId
        .containsEntry("due_at", "NULL") // DueTimeUtc
        .containsKeys("payload_text", "payload_bytes"); // Payload
    assertThat(columnSizes(dataSource()))
        .containsEntry("event_type", 255)
        .containsEntry("correlation_id", 255)
        .containsEntry("owner_token", 64)
        .containsEntry("processed_by", 64);
  }

  @Test
  @Spec("OBXU-10")
  void schemaTableAndDeploymentAreOptionsWithTheirDefaults() throws Exception {
    String schema = database.createSchema();
    String table = schema + ".my_outbox";

    JdbcOutbox.builder(dataSource()).createSchema().start().close();
    JdbcOutbox.builder(dataSource())
        .store(JdbcOutboxRepository.builder().tableName(table).build())
        .createSchema()
        .start()
        .close();

    assertThat(columnSizes(dataSource())).isNotEmpty();
    assertThat(OutboxSchema.of(dataSource()).check().isUsable()).isTrue();
    assertThat(OutboxSchema.of(dataSource()).tableName(table).check().isUsable()).isTrue();
    String sameName = schema + ".outbox_event";
    assertThat(OutboxSchema.of(dataSource()).tableName(sameName).check().version()).isZero();
    assertThatThrownBy(
            () ->
                JdbcOutbox.builder(dataSource())
                    .store(JdbcOutboxRepository.builder().tableName("another").build())
                    .start())
        .hasMessageContaining("another");
  }

  @Test
  @Spec({"OBX-102", "OBX-104"})
  void deployingAgainChangesNothing() throws SQLException {
    schema().deploy();
    publish("kept");
    Map<String, Integer> before = columnSizes(dataSource());
    Map<String, String> constraints = TableShape.constraints(dataSource());
    Collection<List<String>> indexes = TableShape.indexesOf(dataSource(), "outbox_event");
    List<String> tables = TableShape.tables(dataSource());

    schema().deploy();

    assertThat(columnSizes(dataSource())).isEqualTo(before);
    assertThat(TableShape.constraints(dataSource())).isEqualTo(constraints);
    assertThat(TableShape.indexesOf(dataSource(), "outbox_event"))
        .containsExactlyElementsOf(indexes);
    assertThat(TableShape.tables(dataSource()))
        .isEqualTo(tables)
        .containsExactlyInAnyOrder(
            "outbox_event", "outbox_event_keys", "outbox_event_ordered", "outbox_event_schema");
    assertThat(claim()).extracting(claim -> claim.event().eventId()).containsExactly("kept");
    try (Connection connection = dataSource().getConnection()) {
      assertThatCode(() -> store.check(connection)).doesNotThrowAnyException();
    }
    assertThat(schema().check().version()).isEqualTo(SchemaVersion.CURRENT);
  }

  @Test
  void aFailedDeploymentLeavesTheConnectionInItsMode() {
    WatchedConnections watched = new WatchedConnections(dataSource(), true);

    assertThatThrownBy(() -> OutboxSchema.of(watched).tableName("nowhere.outbox_event").deploy())
        .isInstanceOf(StoreException.class);

    assertThat(watched.modes()).containsExactly(true);
  }

  @Test
  void severalNodesMayDeployAtOnce() throws Exception {
    ExecutorService nodes = Executors.newFixedThreadPool(6);
    try {
      Callable<Boolean> deploy =
          () -> {
            schema().deploy();
            return true;
          };
      List<Future<Boolean>> deployed = nodes.invokeAll(Collections.nCopies(6, deploy));
      for (Future<Boolean> each : deployed) {
        assertThat(each.get()).isTrue();
      }
    } finally {
      nodes.shutdownNow();
    }
    publish("a");
    assertThat(claim()).hasSize(1);
  }

  @Test
  @Spec({"FRM-26", "FRM-27", "OBX-113"})
  void versionOneIsTheTableOfTheSpecification() throws SQLException {
    Version1.create(dataSource());

    Map<String, Integer> columns = columnSizes(dataSource());
    assertThat(columns)
        .containsOnlyKeys(
            "event_id",
            "event_type",
            "aggregate_type",
            "aggregate_id",
            "tenant_id",
            "payload",
            "headers",
            "status",
            "attempts",
            "available_at",
            "created_at",
            "done_at",
            "last_error")
        .containsEntry("event_id", 36)
        .containsEntry("event_type", 128)
        .containsEntry("aggregate_type", 64)
        .containsEntry("aggregate_id", 128)
        .containsEntry("tenant_id", 64);
    assertThat(indexColumns(dataSource(), "idx_status_available"))
        .containsExactly("status", "available_at", "created_at");
  }

  @Test
  @Spec({"FRM-26", "FRM-98"})
  void versionOneKeepsMicrosecondsAndLongErrors() throws SQLException {
    Version1.create(dataSource());
    Instant micros = Instant.parse("2026-01-02T03:04:05.678901Z");
    String error = "😀".repeat(4_000);
    try (Connection connection = dataSource().getConnection()) {
      Version1.insert(connection, "a", "payload", null, micros);
      Version1.markDone(connection, "a", micros);
      try (PreparedStatement statement =
          connection.prepareStatement("UPDATE outbox_event SET last_error = ?")) {
        statement.setString(1, error);
        statement.executeUpdate();
      }
      try (PreparedStatement statement =
              connection.prepareStatement(
                  "SELECT available_at, created_at, done_at, last_error FROM outbox_event");
          ResultSet row = statement.executeQuery()) {
        assertThat(row.next()).isTrue();
        Dialect dialect = Dialects.of(connection);
        for (String column : List.of("available_at", "created_at", "done_at")) {
          assertThat(dialect.getInstant(row, column)).as(column).isEqualTo(micros);
        }
        assertThat(row.getString("last_error")).isEqualTo(error);
      }
    }
  }

  /** A partial index of PostgreSQL; elsewhere of a column that only live rows have. */
  @Test
  @Spec({"OBX-102", "OBX-113", "IDEM-05"})
  void claimsHaveAnIndexOfLiveRowsInTheOrderInWhichTheyAreDue() throws SQLException {
    schema().deploy();

    assertThat(TableShape.indexesOf(dataSource(), "outbox_event"))
        .anyMatch(List.of(dueColumn(), "event_id")::equals);
  }

  private String dueColumn() throws SQLException {
    try (Connection connection = dataSource().getConnection()) {
      return Dialects.of(connection) instanceof PostgresDialect ? "available_at" : "claimable_at";
    }
  }

  @Test
  @Spec({"FRM-26", "OBX-107", "IDEM-01", "IDEM-67"})
  void theCurrentTableHasTheColumnsOfTheSpecificationAndItsOwn() throws SQLException {
    schema().deploy();

    assertThat(columnSizes(dataSource()))
        .containsKeys("headers", "status", "attempts", "available_at", "created_at", "done_at")
        .containsKeys("last_error", "due_at", "owner_token", "correlation_id", "occurred_at")
        .containsKeys("processed_by", "started", "lease_expiries", "expires_at")
        .containsKeys("replays", "replayed_at", "replayed_by")
        .containsEntry("idempotency_key", 64)
        .containsEntry("event_id", 36)
        .containsEntry("event_type", 255)
        .containsEntry("aggregate_type", 64)
        .containsEntry("aggregate_id", 128)
        .containsEntry("tenant_id", 64);
  }

  @Test
  void aTableOfVersionOneKeepsItsRowsAndItsNodes() throws SQLException {
    Version1.create(dataSource());
    insertByVersion1("before");
    try (Connection connection = dataSource().getConnection()) {
      assertThatThrownBy(() -> store.check(connection))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("version 1");
    }

    schema().deploy();
    insertByVersion1("after");
    publish("new");

    assertThat(claim())
        .extracting(claim -> claim.event().eventId())
        .containsExactlyInAnyOrder("before", "after", "new");
    assertThat(indexColumns(dataSource(), "idx_status_available")).isNotEmpty();
  }

  @Test
  void finalizingAnUpgradeKeepsEveryRowReadable() throws SQLException {
    Version1.create(dataSource());
    insertByVersion1("before");
    schema().deploy();
    insertByVersion1("after");
    schema().migrate(progress -> {});

    schema().finalizeUpgrade();
    schema().finalizeUpgrade();

    assertThat(columnSizes(dataSource())).doesNotContainKey("payload");
    assertThat(claim())
        .extracting(ClaimedEvent::event)
        .hasSize(2)
        .extracting(OutboxEvent::payloadJson)
        .allSatisfy(payload -> assertThat(payload).contains("\"old\""));
  }

  @Test
  void aTableOfAnotherNameIsIndependent() throws SQLException {
    schema().deploy();
    schema().tableName("billing_outbox").deploy();
    JdbcOutboxRepository billing =
        JdbcOutboxRepository.builder().tableName("billing_outbox").build();

    try (Connection connection = dataSource().getConnection()) {
      billing.insertNew(connection, EventEnvelope.ofJson("Type", "{}"));
      assertThat(billing.claim(connection, request()).events()).hasSize(1);
    }
    assertThat(claim()).isEmpty();
  }

  @Test
  void namesThatAreNoNamesAreRefused() {
    for (String name :
        List.of("", "a b", "a;b", "a--", "\"a\"", "1a", "a.b.c", ".a", "a.", "x".repeat(56), "ä")) {
      assertThatThrownBy(() -> JdbcOutboxRepository.builder().tableName(name))
          .as(name)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("tableName (" + name + ")");
      assertThatThrownBy(() -> schema().tableName(name))
          .as(name)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  private DataSource dataSource() {
    return database.dataSource();
  }

  private OutboxSchema schema() {
    return OutboxSchema.of(dataSource());
  }

  private void publish(String id) throws SQLException {
    try (Connection connection = dataSource().getConnection()) {
      store.insertNew(
          connection, EventEnvelope.builder("Type").eventId(id).payloadJson("{}").build());
    }
  }

  private void insertByVersion1(String id) throws SQLException {
    try (Connection connection = dataSource().getConnection()) {
      Version1.insert(connection, id, "payload", null, Instant.now().minus(Duration.ofHours(1)));
    }
  }

  private List<ClaimedEvent> claim() throws SQLException {
    try (Connection connection = dataSource().getConnection()) {
      return store.claim(connection, request()).events();
    }
  }

  private static ClaimRequest request() {
    return new ClaimRequest("me", Duration.ofMinutes(1), 100, Long.MAX_VALUE, null, Duration.ZERO);
  }
}
