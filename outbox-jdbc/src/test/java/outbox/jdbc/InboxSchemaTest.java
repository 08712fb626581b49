package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.inbox.InboxKey;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.SqlServer;
import outbox.jdbc.db.TestDatabase;
import outbox.testing.Spec;

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
      schemaOf(database).deploy();

      schemaOf(database).deploy();

      assertThat(schemaOf(database).script()).contains(TABLE);
      assertThat(TableShape.indexesOf(database.dataSource(), TABLE))
          .anyMatch(columns -> columns.equals(List.of("message_id", "source")))
          .anyMatch(
              columns ->
                  columns.equals(List.of("available_at", "event_id"))
                      || columns.equals(List.of("claimable_at", "event_id")));
    }
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
                  + " --inbox, or InboxSchema.of(dataSource).tableName(\"my_inbox\").deploy()");

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
                  + " migrate --inbox, or InboxSchema.of(dataSource).tableName(\"my_inbox\").deploy()");
      assertThat(schema.script()).contains("ALTER TABLE my_inbox ADD headers");

      schema.deploy();

      assertThat(schema.script()).doesNotContain(" ADD ");
      try (JdbcInbox inbox = inboxOf(database).start()) {
        inbox.inbox().receive("topic", "shop", "1", "{}", null);
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
            case MARIADB, SQLSERVER -> "DROP INDEX idx_done ON my_inbox";
          });
      assertThatThrownBy(inboxOf(database)::start)
          .hasMessageMatching(".* my_inbox .* lacks index \\w+_done; run: .*");

      schemaOf(database).deploy();

      inboxOf(database).start().close();
    }
  }

  private static InboxSchema schemaOf(TestDatabase database) {
    return InboxSchema.of(database.dataSource()).tableName(TABLE);
  }

  private static JdbcInbox.Builder inboxOf(TestDatabase database) {
    return JdbcInbox.builder(database.dataSource()).store(JdbcInboxStore.onTable(TABLE));
  }
}
