package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.jdbc.TableShape.columnSizes;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import outbox.jdbc.internal.schema.SchemaVersion;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.SchemaStatus;
import outbox.jdbc.schema.UnusableSchemaException;

/** What the check of a schema sees, and what a deployment mends of it. */
interface SchemaCheckRules extends MigrationUnderTest {
  @Test
  default void theCheckNamesWhatIsMissingAndChangesNothing() throws SQLException {
    assertThat(schema().check().describe())
        .contains("outbox_event is missing")
        .endsWith("run: outbox schema migrate");
    Version1.create(dataSource());

    SchemaStatus status = schema().withJoins().check();

    assertThat(status.isUsable()).isFalse();
    assertThat(status.version()).isEqualTo(1);
    assertThat(status.missing())
        .contains("column outbox_event.idempotency_key", "column outbox_event.owner_token")
        .contains("index outbox_event_key")
        .contains("table outbox_join", "table outbox_join_member", "table outbox_join_wait");
    assertThat(columnSizes(dataSource())).doesNotContainKey("owner_token");
  }

  @Test
  default void whatRequiresTheTablesSaysWhichAreMissingAndWhatCreatesThem() {
    assertThatThrownBy(schema()::require)
        .isInstanceOfSatisfying(
            UnusableSchemaException.class,
            unusable -> {
              assertThat(unusable.status().missing()).containsExactly("table outbox_event");
              assertThat(unusable.command()).isEqualTo("outbox schema migrate");
              assertThat(unusable.schema()).isEqualTo("OutboxSchema.of(dataSource)");
              assertThat(unusable.withJoins()).isFalse();
            });
    schema().deploy();
    schema().require();

    assertThatThrownBy(schema().withJoins("fan_in")::require)
        .isInstanceOfSatisfying(
            UnusableSchemaException.class,
            unusable -> {
              assertThat(unusable.status().table()).isEqualTo("fan_in");
              assertThat(unusable.command()).isEqualTo("outbox schema migrate --joins=fan_in");
              assertThat(unusable.schema())
                  .isEqualTo("OutboxSchema.of(dataSource).withJoins(\"fan_in\")");
              assertThat(unusable.withJoins()).isTrue();
            });
    schema().withJoins("fan_in").deploy();
    schema().withJoins("fan_in").require();

    assertThatThrownBy(InboxSchema.of(dataSource()).tableName("my_inbox")::require)
        .isInstanceOfSatisfying(
            UnusableSchemaException.class,
            unusable -> {
              assertThat(unusable.status().version()).isZero();
              assertThat(unusable.command()).isEqualTo("outbox schema migrate --inbox");
              assertThat(unusable.schema())
                  .isEqualTo("InboxSchema.of(dataSource).tableName(\"my_inbox\")");
            });
  }

  @Test
  default void theCheckSeesColumnsAndIndexesOfJoinsAndOfTheInbox() throws SQLException {
    InboxSchema inbox = InboxSchema.of(dataSource());
    assertThat(inbox.check().describe())
        .contains("outbox_inbox is missing")
        .endsWith("run: outbox schema migrate");
    schema().withJoins().deploy();
    inbox.deploy();
    assertThat(schema().withJoins().check().missing()).isEmpty();
    assertThat(inbox.check().isUsable()).isTrue();

    database().execute("ALTER TABLE outbox_join DROP COLUMN metadata");
    database().execute("ALTER TABLE outbox_inbox DROP COLUMN replayed_by");
    drop("outbox_inbox_dead", "outbox_inbox");

    SchemaStatus joins = schema().withJoins().check();
    assertThat(joins.missing()).containsExactly("column outbox_join.metadata");
    assertThat(joins.describe()).endsWith("run: outbox schema migrate");
    schema().withJoins().deploy();
    assertThat(schema().withJoins().check().missing()).isEmpty();
    assertThat(inbox.check().missing())
        .containsExactly("column outbox_inbox.replayed_by", "index outbox_inbox_dead");
    assertThat(inbox.check().isUsable()).isFalse();
    assertThat(inbox.check().command()).isEqualTo("outbox schema migrate");
    assertThatThrownBy(inbox::require)
        .hasMessageContaining("lacks column outbox_inbox.replayed_by")
        .hasMessageContaining("InboxSchema.of(dataSource).deploy()");
  }

  @Test
  default void theCheckTakesNoOtherTableForItsOwn() throws SQLException {
    schema().tableName(database().createSchema() + ".outbox_event").deploy();
    schema().tableName("other_outbox").deploy();
    Version1.create(dataSource());
    schema().migrate(progress -> {});
    dropPayloadOfVersion1();
    drop("outbox_event_key", "outbox_event");

    SchemaStatus status = schema().check();

    assertThat(status.missing()).containsExactly("index outbox_event_key");
    assertThat(status.finalized()).isFalse();
  }

  @Test
  default void anIndexThatWasDroppedIsBuiltAgain() throws SQLException {
    schema().deploy();
    drop("outbox_event_key", "outbox_event");
    assertThat(schema().check().missing()).containsExactly("index outbox_event_key");

    schema().deploy();

    assertThat(schema().check().isUsable()).isTrue();
  }

  @Test
  default void aDroppedColumnIsSaidToBeAddedByHand() {
    schema().deploy();
    database().execute("ALTER TABLE outbox_event DROP COLUMN correlation_id");

    schema().migrate(progress -> {});

    SchemaStatus status = schema().check();
    assertThat(status.missing()).containsExactly("column outbox_event.correlation_id");
    assertThat(status.command()).isEqualTo("outbox schema print");
    assertThat(status.describe()).endsWith("add it by hand, as printed by: outbox schema print");
  }

  @Test
  default void aNewerVersionIsLeftAlone() throws SQLException {
    schema().deploy();
    int newer = SchemaVersion.CURRENT + 1;
    database().execute("INSERT INTO outbox_event_schema (version) VALUES (" + newer + ")");
    drop("outbox_event_dead", "outbox_event");

    schema().deploy();

    assertThat(schema().check().missing()).containsExactly("index outbox_event_dead");
  }

  private void drop(String index, String table) {
    String on = database().product().isInnoDb() ? " ON " + table : "";
    database().execute("DROP INDEX " + index + on);
  }
}
