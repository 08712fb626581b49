package outbox.cli;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;
import outbox.jdbc.schema.SchemaScript;
import outbox.jdbc.schema.SchemaStatus;
import outbox.jdbc.schema.SqlDialect;
import outbox.spi.StoreException;
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

  @Option(
      names = "--routines",
      description = "with the stored routines for callers that use SQL; PostgreSQL, SQL Server")
  boolean routines;

  /** With the tables of joins and the routines, if they are asked for. */
  OutboxSchema schema() {
    return joins == null ? outboxSchema() : outboxSchema().withJoins(joins);
  }

  OutboxSchema outboxSchema() {
    OutboxSchema schema = OutboxSchema.of(database.dataSource()).tableName(table);
    return routines ? schema.withRoutines() : schema;
  }

  /** That of the database at the URL. */
  SqlDialect dialect() {
    try (Connection connection = database.dataSource().getConnection()) {
      return SqlDialect.of(connection);
    } catch (SQLException e) {
      throw new StoreException("the database cannot be reached", e);
    }
  }

  /** The scripts of all that is asked for beside the outbox. */
  List<String> parts(SchemaScript scripts) {
    List<String> parts = new ArrayList<>();
    if (joins != null) {
      parts.add(scripts.joins(joins));
    }
    if (inbox != null) {
      parts.add(scripts.inbox(inbox));
    }
    if (routines) {
      parts.add(joins == null ? scripts.routines() : scripts.routines(joins));
    }
    return parts;
  }

  boolean hasParts() {
    return joins != null || inbox != null || routines;
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
