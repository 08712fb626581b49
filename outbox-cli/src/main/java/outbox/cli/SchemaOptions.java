package outbox.cli;

import org.jspecify.annotations.Nullable;
import outbox.jdbc.OutboxSchema;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which table of which database. */
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

  OutboxSchema schema() {
    OutboxSchema schema = OutboxSchema.of(database.dataSource()).tableName(table);
    return joins == null ? schema : schema.withJoins(joins);
  }
}
