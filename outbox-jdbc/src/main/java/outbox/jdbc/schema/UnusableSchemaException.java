package outbox.jdbc.schema;

import static java.util.Objects.requireNonNull;

/**
 * A table that this library needs is missing, has an older version, or lacks a part. The message
 * names the command that creates or upgrades it, and the Java call that does the same.
 */
public final class UnusableSchemaException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  private final transient SchemaStatus status;
  private final String command;
  private final String schema;
  private final boolean withJoins;

  UnusableSchemaException(SchemaStatus status, String options, String schema, boolean withJoins) {
    super(
        status.describe() + options + ", or " + schema + ".deploy()" + otherWays(status, options));
    this.status = status;
    this.command = status.command() + options;
    this.schema = requireNonNull(schema, "schema");
    this.withJoins = withJoins;
  }

  private static String otherWays(SchemaStatus status, String options) {
    String atStart = status.byHand() ? "" : ", or set createSchema() on the builder";
    return status.version() > 0
        ? atStart
        : atStart + "; for Flyway, Liquibase or a DBA: " + SchemaStatus.PRINT + options;
  }

  /** Returns what the check found. */
  public SchemaStatus status() {
    return status;
  }

  /** Returns the command that fixes it, with the options that name the tables. */
  public String command() {
    return command;
  }

  /**
   * Returns the schema as Java code, such as {@code OutboxSchema.of(dataSource).withJoins()}: its
   * {@code deploy()} creates what is missing, its {@code script()} prints it.
   */
  public String schema() {
    return schema;
  }

  /** Returns whether the tables of joins are needed too. */
  public boolean withJoins() {
    return withJoins;
  }
}
