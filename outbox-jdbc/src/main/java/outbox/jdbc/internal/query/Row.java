package outbox.jdbc.internal.query;

import static java.util.Objects.requireNonNull;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.dialect.Dialect;

/** The current row of a result, its instants as the database means them. */
public final class Row {
  private final ResultSet row;
  private final Dialect dialect;

  public Row(ResultSet row, Dialect dialect) {
    this.row = row;
    this.dialect = dialect;
  }

  public @Nullable String text(String column) throws SQLException {
    return row.getString(column);
  }

  /** The text of a column that is never null. */
  public String required(String column) throws SQLException {
    return requireNonNull(row.getString(column), column);
  }

  public int integer(String column) throws SQLException {
    return row.getInt(column);
  }

  /** Null if the column is. */
  public @Nullable Long number(String column) throws SQLException {
    long value = row.getLong(column);
    return row.wasNull() ? null : value;
  }

  public byte @Nullable [] bytes(String column) throws SQLException {
    return row.getBytes(column);
  }

  public @Nullable Instant instant(String column) throws SQLException {
    return dialect.getInstant(row, column);
  }

  /** The instant of a column that is never null. */
  public Instant requiredInstant(String column) throws SQLException {
    return requireNonNull(dialect.getInstant(row, column), column);
  }

  /** Makes a value of the current row. */
  @FunctionalInterface
  public interface Reader<T> {
    T read(Row row) throws SQLException;
  }
}
