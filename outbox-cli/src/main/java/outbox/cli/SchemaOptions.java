package outbox.cli;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;
import outbox.jdbc.schema.SchemaStatus;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which tables of which database. */
final class SchemaOptions {
  @Mixin DatabaseOptions database = new DatabaseOptions();

  @Option(
      names = "--table",
      defaultValue = "outbox_event",
      description = "table of the events (default: ${DEFAULT-VALUE})")
  String table = "";

  @Option(
      names = "--joins",
      arity = "0..1",
      fallbackValue = "outbox_join",
      description = "with the tables of joins (default name: ${FALLBACK-VALUE})")
  @Nullable String joins;

  @Option(
      names = "--inbox",
      arity = "0..1",
      fallbackValue = "outbox_inbox",
      description = "with the table of the inbox (default name: ${FALLBACK-VALUE})")
  @Nullable String inbox;

  /** With the tables of joins, if they are asked for. */
  OutboxSchema schema() {
    return joins == null ? outboxSchema() : outboxSchema().withJoins(joins);
  }

  OutboxSchema outboxSchema() {
    return OutboxSchema.of(database.dataSource()).tableName(table);
  }

  /** Null unless asked for. */
  @Nullable JoinsStatus joinsStatus(SchemaStatus outbox) {
    return joins == null ? null : JoinsStatus.of(joins, schema().check(), outbox);
  }

  /** Empty unless asked for. */
  Optional<InboxSchema> inboxSchema() {
    return Optional.ofNullable(inbox)
        .map(name -> InboxSchema.of(database.dataSource()).tableName(name));
  }
}
