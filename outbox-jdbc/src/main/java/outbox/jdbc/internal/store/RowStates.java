package outbox.jdbc.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import outbox.jdbc.internal.sql.Chunks;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.jdbc.internal.tx.OwnTransaction;
import outbox.spi.LeasedEventStore.RowState;
import outbox.spi.StoreException;

/** Where rows stand now, whatever the snapshot of the caller's transaction shows of them. */
public final class RowStates {
  /** Needed where a read may show an old snapshot. */
  static final String UNLOCKED = "inspect_unlocked";

  private final Statements sql;

  public RowStates(Statements sql) {
    this.sql = sql;
  }

  public Map<String, RowState> find(Connection conn, Collection<String> eventIds) {
    Map<String, RowState> states = query(conn, "inspect", eventIds);
    if (sql.dialect().readsOldSnapshots() && !OwnTransaction.autoCommits(conn)) {
      try {
        refreshAll(conn, states);
      } catch (SQLException e) {
        throw new StoreException("savepoint for reading locked rows failed", e);
      }
    }
    return states;
  }

  /**
   * Reads all rows at once and, if one of them is locked, each by itself. Rolls back to a savepoint
   * after a row that is locked: a server that is set to roll the whole transaction back then has no
   * such savepoint, and the caller learns of it.
   */
  private void refreshAll(Connection conn, Map<String, RowState> states) throws SQLException {
    if (states.isEmpty()) {
      return;
    }
    Savepoint before = conn.setSavepoint();
    List<String> ids = List.copyOf(states.keySet());
    if (!refresh(conn, ids, states)) {
      conn.rollback(before);
      for (String id : ids) {
        if (!refresh(conn, List.of(id), states)) {
          conn.rollback(before);
        }
      }
    }
    conn.releaseSavepoint(before);
  }

  /** Returns false if another transaction has locked one: all stay as the snapshot shows them. */
  private boolean refresh(Connection conn, List<String> ids, Map<String, RowState> states) {
    try {
      Map<String, RowState> now = query(conn, UNLOCKED, ids);
      states.keySet().removeAll(ids);
      states.putAll(now);
      return true;
    } catch (StoreException e) {
      if (e.getCause() instanceof SQLException cause && sql.dialect().isLockTimeout(cause)) {
        return false;
      }
      throw e;
    }
  }

  private Map<String, RowState> query(Connection conn, String name, Collection<String> eventIds) {
    Map<String, RowState> states = new HashMap<>();
    for (List<String> chunk : Chunks.of(eventIds, sql.dialect().maxIds())) {
      Parameters parameters = sql.parameters().ids(chunk);
      sql.query(conn, name, parameters, EventRows::state)
          .forEach(entry -> states.put(entry.getKey(), entry.getValue()));
    }
    return states;
  }
}
