package outbox.jdbc.internal.store;

import static java.util.Objects.requireNonNull;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.dialect.Dialect;

/** Reads the rows of one claim, and once only what all of them repeat. Used by one thread. */
final class ClaimReader {
  private final EventRows rows;
  private final Dialect dialect;
  private @Nullable Instant watermark;
  private @Nullable Instant leasedUntil;

  ClaimReader(EventRows rows, Dialect dialect) {
    this.rows = rows;
    this.dialect = dialect;
  }

  /** Where the claim ended; null if it got nothing. */
  @Nullable Instant watermark() {
    return watermark;
  }

  /** Before each try of the statement. */
  void begin() {
    watermark = null;
  }

  TakenRow read(ResultSet row) throws SQLException {
    if (watermark == null || !dialect.repeatsInstants()) {
      Instant gate = requireNonNull(dialect.getInstant(row, "watermark"));
      watermark = watermark == null || gate.isAfter(watermark) ? gate : watermark;
      leasedUntil = dialect.getInstant(row, "available_at");
    }
    return rows.taken(row, leasedUntil);
  }
}
