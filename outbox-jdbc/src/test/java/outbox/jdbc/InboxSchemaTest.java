package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.contracts.support.Spec;
import outbox.inbox.InboxKey;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.SqlServer;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.InboxSchema;

/** Who makes the table of an inbox, and what is said of one that is not as it must be. */
class InboxSchemaTest {
  private static final String TABLE = "my_inbox";

  /** SQL Server only if there is one. */
  static Stream<Product> products() {
    boolean all = System.getenv(SqlServer.URL) != null;
    return Stream.of(Product.values()).filter(product -> all || product != Product.SQLSERVER);
  }

  @ParameterizedTest
  @MethodSource("products")
  @Spec({"IBX-114", "IBX-116", "IBX-117", "IBX-122", "IBX-125"})
  void deployingTwiceIsHarmlessAndMakesTableAndIndexes(Product product) throws Exception {
    try (TestDatabase database = TestDatabase.create(product)) {
      assertThat(schemaOf(database).script()).contains("CREATE TABLE my_inbox (");
      schemaOf(database).deploy();

      schemaOf(database).deploy();

      assertThat(TableShape.indexesOf(database.dataSource(), TABLE))
          .anyMatch(columns -> columns.equals(List.of("message_id", "source")))
          .anyMatch(
              columns ->
                  columns.equals(List.of("available_at", "event_id"))
                      || columns.equals(List.of("claimable_at", "event_id")));
    }
  }

  /** Left: the specification's column. The library's inserts give all others a value. */
  @ParameterizedTest
  @MethodSource("products")
  @Spec({"IBX-117", "IBXU-13"})
  void theTableHasTheColumnsOfTheSpecificationUnderItsOwnNames(Product product) throws Exception {
    try (TestDatabase database = TestDatabase.create(product)) {
      schemaOf(database).deploy();

      assertThat(TableShape.constraints(database.dataSource(), TABLE))
          .containsEntry("source", "NOT NULL") // Source
          .containsEntry("message_id", "NOT NULL") // MessageId
          .containsEntry("topic", "NULL") // Topic
          .containsEntry("payload", "NULL") // Payload
          .containsEntry("hash", "NULL") // Hash
          .containsEntry("first_seen_at", "NOT NULL") // FirstSeenUtc
          .containsEntry("seen_again_at", "NULL") // LastSeenUtc
          .containsEntry("status", "NOT NULL") // Status
          .containsEntry("available_at", "NOT NULL") // LockedUntil, NextAttemptAt
          .containsEntry("owner_token", "NULL") // OwnerToken
          .containsEntry("attempts", "NOT NULL DEFAULT 0") // Attempt
          .containsEntry("last_error", "NULL") // LastError
          .containsEntry("due_at", "NULL"); // DueTimeUtc
      assertThat(TableShape.columnSizes(database.dataSource(), TABLE))
          .containsEntry("source", 255)
          .containsEntry("message_id", 255)
          .containsEntry("topic", 255);
    }
  }

  @ParameterizedTest
  @MethodSource("products")
  @Spec({"IBX-001", "IBX-125", "IBXU-13"})
  void theDatabaseItselfRefusesASecondRowOfAKey(Product product) throws Exception {
    try (TestDatabase database = TestDatabase.create(product)) {
      schemaOf(database).deploy();
      database.execute(seen("1", "shop", "m"), seen("2", "bank", "m"), seen("3", "shop", "n"));

      assertThatThrownBy(() -> database.execute(seen("4", "shop", "m")))
          .hasRootCauseInstanceOf(SQLException.class);
    }
  }

  private static String seen(String eventId, String source, String messageId) {
    return "INSERT INTO my_inbox (event_id, source, message_id, status, available_at, first_seen_at)"
        + " VALUES ('%s', '%s', '%s', 4, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)"
            .formatted(eventId, source, messageId);
  }

  @ParameterizedTest
  @MethodSource("products")
  @Spec("IBX-115")
  void withoutCreateSchemaNothingIsCreatedAndTheStartSaysWhatIsMissing(Product product)
      throws Exception {
    try (TestDatabase database = TestDatabase.create(product)) {
      assertThatThrownBy(inboxOf(database)::start)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "table my_inbox is missing, but version 1 is needed; run: outbox schema migrate"
                  + " --inbox, or InboxSchema.of(dataSource).tableName(\"my_inbox\").deploy(), or set"
                  + " createSchema() on the builder; for Flyway, Liquibase or a DBA: outbox schema"
                  + " print --inbox");

      assertThat(TableShape.indexesOf(database.dataSource(), TABLE)).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("products")
  @Spec({"IBX-114", "IBX-116"})
  void anOlderTableIsRefusedByNameAndCompletedByADeployment(Product product) throws Exception {
    try (TestDatabase database = TestDatabase.create(product)) {
      InboxSchema schema = schemaOf(database);
      schema.deploy();
      for (String column : List.of("headers", "replayed_at", "replayed_by")) {
        database.execute("ALTER TABLE my_inbox DROP COLUMN " + column);
      }
      assertThatThrownBy(inboxOf(database)::start)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "table my_inbox has schema version 1 and lacks column my_inbox.headers, column"
                  + " my_inbox.replayed_at, column my_inbox.replayed_by; run: outbox schema"
                  + " migrate --inbox, or InboxSchema.of(dataSource).tableName(\"my_inbox\").deploy(), or set"
                  + " createSchema() on the builder");
      assertThat(schema.script()).contains("ALTER TABLE my_inbox ADD headers");

      schema.deploy();

      assertThat(schema.script()).isBlank();
      try (JdbcInbox inbox = inboxOf(database).start()) {
        inbox.receive(new InboxKey("shop", "1"), "topic", "{}");
        assertThat(inbox.workStore().get(new InboxKey("shop", "1"))).isPresent();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("products")
  @Spec("IBX-122")
  void aMissingIndexIsNamedAndBuiltByADeployment(Product product) throws Exception {
    try (TestDatabase database = TestDatabase.create(product)) {
      schemaOf(database).deploy();
      database.execute(
          switch (product) {
            case H2, H2_OLDEST, H2_SPRING_BOOT, POSTGRES_OLDEST, POSTGRES_NEWEST ->
                "DROP INDEX my_inbox_done";
            case MARIADB, MYSQL, MYSQL_BY_MARIADB_DRIVER, SQLSERVER ->
                "DROP INDEX idx_done ON my_inbox";
          });
      assertThatThrownBy(inboxOf(database)::start)
          .hasMessageMatching(".* my_inbox .* lacks index \\w+_done; run: .*");

      schemaOf(database).deploy();

      inboxOf(database).start().close();
    }
  }

  @ParameterizedTest
  @MethodSource("products")
  @Spec("IBXU-09")
  void theTableMayBeOfAnotherSchema(Product product) {
    String table = "shop_inboxes." + TABLE;
    try (TestDatabase database = TestDatabase.create(product)) {
      database.execute("CREATE SCHEMA shop_inboxes");
      try (JdbcInbox inbox =
          JdbcInbox.builder(database.dataSource())
              .store(JdbcInboxStore.onTable(table))
              .createSchema()
              .start()) {
        inbox.receive(new InboxKey("shop", "1"), "topic", "{}");

        assertThat(inbox.workStore().get(new InboxKey("shop", "1"))).isPresent();
        assertThat(InboxSchema.of(database.dataSource()).tableName(table).check().isUsable())
            .isTrue();
        assertThat(InboxSchema.of(database.dataSource()).check().isUsable()).isFalse();
      } finally {
        database.execute("DROP TABLE " + table, "DROP SCHEMA shop_inboxes");
      }
    }
  }

  private static InboxSchema schemaOf(TestDatabase database) {
    return InboxSchema.of(database.dataSource()).tableName(TABLE);
  }

  private static JdbcInbox.Builder inboxOf(TestDatabase database) {
    return JdbcInbox.builder(database.dataSource()).store(JdbcInboxStore.onTable(TABLE));
  }
}
