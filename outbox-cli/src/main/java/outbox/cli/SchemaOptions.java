package outbox.cli;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.InboxSchema;
import outbox.jdbc.OutboxSchema;
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

  OutboxSchema schema() {
    OutboxSchema schema = OutboxSchema.of(database.dataSource()).tableName(table);
    return joins == null ? schema : schema.withJoins(joins);
  }

  /** Empty unless asked for. */
  Optional<InboxSchema> inboxSchema() {
    return Optional.ofNullable(inbox)
        .map(name -> InboxSchema.of(database.dataSource()).tableName(name));
  }
}
