package outbox.jdbc.internal.store;

import java.sql.Connection;
import outbox.jdbc.internal.sql.TableColumns;

/**
 * Whether version 1's payload column is still there. Once it is gone, the store does not ask again.
 */
public final class Version1Payload {
  private volatile boolean gone;

  public boolean isThere(Connection conn, EventTable table) {
    if (!gone && table.kind() == TableKind.OUTBOX) {
      gone = !TableColumns.haveVersion1(TableColumns.of(conn, table.statements()));
      return !gone;
    }
    return false;
  }
}
