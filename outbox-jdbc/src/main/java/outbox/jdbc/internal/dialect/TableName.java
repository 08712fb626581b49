package outbox.jdbc.internal.dialect;

import static java.util.Objects.requireNonNull;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import outbox.InvalidSettingException;

/**
 * The name of the outbox table, safe to be put into a statement.
 *
 * @param schema null for the connection's default
 */
public record TableName(@Nullable String schema, String name) {
  public static final TableName DEFAULT = new TableName(null, "outbox_event");
  public static final TableName DEFAULT_INBOX = new TableName(null, "outbox_inbox");

  /** Leaves room for the suffixes of index and schema table in PostgreSQL's 63 characters. */
  private static final Pattern RULE =
      Pattern.compile("(?:([A-Za-z_][A-Za-z0-9_]{0,62})\\.)?([A-Za-z_][A-Za-z0-9_]{0,54})");

  public static TableName of(String text) {
    Matcher matcher = RULE.matcher(requireNonNull(text, "tableName"));
    if (!matcher.matches()) {
      throw new InvalidSettingException(
          "tableName ("
              + text
              + ") must be a name of letters, digits and underscores that begins with no digit, at"
              + " most 55 characters long, with a schema and a dot before it if need be",
          "tableName");
    }
    return new TableName(matcher.group(1), requireNonNull(matcher.group(2)));
  }

  /** The table in which the installed versions are recorded. */
  public TableName versions() {
    return new TableName(schema, name + "_schema");
  }

  /** The table in which a migration records how far it is. */
  public TableName steps() {
    return new TableName(schema, name + "_step");
  }

  /** The name of version 1's index: the specification's, unless that could clash. */
  public String statusIndex() {
    return this.name.equals(DEFAULT.name) ? "idx_status_available" : name + "_status";
  }

  public String schemaPrefix() {
    return schema == null ? "" : schema + ".";
  }

  /** As it stands in statements. */
  @Override
  public String toString() {
    return schemaPrefix() + name;
  }
}
