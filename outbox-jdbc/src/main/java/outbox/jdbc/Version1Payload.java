package outbox.jdbc;

import java.sql.Connection;

/**
 * Whether version 1's payload column is still there. Once it is gone, the store does not ask again.
 */
final class Version1Payload {
  private volatile boolean gone;

  boolean isThere(Connection conn, Statements statements) {
    if (!gone && statements.kind() == TableKind.OUTBOX) {
      gone =
          !SchemaVersion.columns(conn, statements, statements.table())
              .contains(SchemaCatalog.VERSION_1_PAYLOAD);
      return !gone;
    }
    return false;
  }
}
