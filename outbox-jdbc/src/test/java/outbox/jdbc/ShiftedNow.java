package outbox.jdbc;

import java.time.Duration;
import outbox.jdbc.db.Product;

/** The database's clock, moved: what a store under test takes for now. */
final class ShiftedNow {
  private ShiftedNow() {}

  static String expression(Product product, Duration by) {
    long micros = by.toNanos() / 1_000;
    return switch (product) {
      case POSTGRES_NEWEST, POSTGRES_OLDEST ->
          "(statement_timestamp() + INTERVAL '" + micros + " microseconds')";
      case MARIADB -> "(UTC_TIMESTAMP(6) + INTERVAL " + micros + " MICROSECOND)";
      case H2, H2_OLDEST, H2_SPRING_BOOT ->
          "DATEADD(MICROSECOND, " + micros + ", CAST(:now AS TIMESTAMP(6) WITH TIME ZONE))";
      case SQLSERVER -> "DATEADD(SECOND, " + by.toSeconds() + ", SYSUTCDATETIME())";
    };
  }
}
