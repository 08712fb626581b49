package outbox.jdbc.internal.dialect;

import static java.time.ZoneOffset.UTC;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** How a database's driver takes and gives the instants of its columns. */
public enum InstantType {
  /** A column that knows its offset, set by text: PostgreSQL's driver formats times slowly. */
  TEXT_WITH_OFFSET {
    @Override
    public void set(PreparedStatement statement, int index, @Nullable Instant value)
        throws SQLException {
      if (value == null) {
        statement.setNull(index, Types.OTHER);
      } else {
        statement.setObject(index, storable(value).atOffset(UTC).toString(), Types.OTHER);
      }
    }

    @Override
    public @Nullable Instant get(ResultSet row, String column) throws SQLException {
      return WITH_OFFSET.get(row, column);
    }
  },

  /** A column that knows its offset. */
  WITH_OFFSET {
    @Override
    public void set(PreparedStatement statement, int index, @Nullable Instant value)
        throws SQLException {
      if (value == null) {
        statement.setNull(index, Types.TIMESTAMP_WITH_TIMEZONE);
      } else {
        statement.setObject(index, storable(value).atOffset(UTC));
      }
    }

    @Override
    public @Nullable Instant get(ResultSet row, String column) throws SQLException {
      OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
      return value == null ? null : value.toInstant();
    }
  },

  /** A column without an offset, in UTC. */
  LOCAL_IN_UTC {
    @Override
    public void set(PreparedStatement statement, int index, @Nullable Instant value)
        throws SQLException {
      if (value == null) {
        statement.setNull(index, Types.TIMESTAMP);
      } else {
        statement.setObject(index, LocalDateTime.ofInstant(storable(value), UTC));
      }
    }

    @Override
    public @Nullable Instant get(ResultSet row, String column) throws SQLException {
      LocalDateTime value = row.getObject(column, LocalDateTime.class);
      return value == null ? null : value.toInstant(UTC);
    }
  };

  private static final Instant FIRST = Instant.parse("1000-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999Z");

  public abstract void set(PreparedStatement statement, int index, @Nullable Instant value)
      throws SQLException;

  public abstract @Nullable Instant get(ResultSet row, String column) throws SQLException;

  /** Microseconds, within the years that every database knows. */
  public static Instant storable(Instant value) {
    if (value.isBefore(FIRST)) {
      return FIRST;
    }
    return value.isAfter(LAST) ? LAST : value.truncatedTo(ChronoUnit.MICROS);
  }
}
