package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.dialect.Dialects;

/** What a store under test takes for now: the database's clock, moved, or one that stands still. */
final class MovableNow {
  private final TestDatabase database;
  private Duration shift = Duration.ZERO;
  private @Nullable Instant stopped;

  MovableNow(TestDatabase database) {
    this.database = database;
  }

  /** A clock that stands still goes on, from where the database's is then. */
  void advance(Duration by) {
    shift = shift.plus(by);
    stopped = null;
  }

  void stopAt(Instant instant) {
    stopped = instant;
  }

  void reset() {
    shift = Duration.ZERO;
    stopped = null;
  }

  boolean isMoved() {
    return stopped != null || !shift.isZero();
  }

  Duration shift() {
    return shift;
  }

  @Nullable Instant stopped() {
    return stopped;
  }

  Instant now() {
    if (stopped != null) {
      return stopped;
    }
    if (database.product().isH2()) {
      return Instant.now().truncatedTo(ChronoUnit.MICROS).plus(shift);
    }
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement statement =
            connection.prepareStatement("SELECT " + expression() + " AS now");
        ResultSet row = statement.executeQuery()) {
      row.next();
      return requireNonNull(Dialects.of(connection).getInstant(row, "now"));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  String expression() {
    return stopped == null ? moved(database.product(), shift) : database.product().literal(stopped);
  }

  /** The database's clock, moved. */
  static String moved(Product product, Duration by) {
    long micros = by.toNanos() / 1_000;
    return switch (product) {
      case POSTGRES_NEWEST, POSTGRES_OLDEST ->
          "(statement_timestamp() + INTERVAL '" + micros + " microseconds')";
      case MARIADB, MYSQL, MYSQL_BY_MARIADB_DRIVER ->
          "(UTC_TIMESTAMP(6) + INTERVAL " + micros + " MICROSECOND)";
      case H2, H2_OLDEST, H2_SPRING_BOOT ->
          "DATEADD(MICROSECOND, " + micros + ", CAST(:now AS TIMESTAMP(6) WITH TIME ZONE))";
      case SQLSERVER -> "DATEADD(SECOND, " + by.toSeconds() + ", SYSUTCDATETIME())";
    };
  }
}
