package outbox.jdbc.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLTransactionRollbackException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.internal.sql.Chunks;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.spi.StoreException;

/** Finds the events that have a key. */
public final class KeyLookup {
  private final Statements statements;

  public KeyLookup(Statements statements) {
    this.statements = statements;
  }

  /** The ids of a tenant's events by their keys. */
  public Map<String, String> find(
      Connection conn, String name, @Nullable String tenantId, Collection<String> keys) {
    Map<String, String> ids = new HashMap<>();
    for (List<String> chunk : Chunks.of(keys, statements.dialect().maxIds())) {
      Parameters parameters =
          statements
              .parameters()
              .ids(chunk)
              .rows(chunk.stream().map(key -> statements.parameters().text("key", key)).toList())
              .text("tenant", of(tenantId));
      statements
          .query(
              conn,
              name,
              parameters,
              row -> Map.entry(row.getString("given_key"), row.getString("event_id")))
          .forEach(found -> ids.put(found.getKey(), found.getValue()));
    }
    return ids;
  }

  /** The ids of the events that have these events' keys, by these events' ids. */
  Map<String, String> findFirsts(Connection conn, String name, List<EventEnvelope> events) {
    Map<String, Map<String, List<EventEnvelope>>> byTenant = new LinkedHashMap<>();
    for (EventEnvelope event : events) {
      byTenant
          .computeIfAbsent(of(event.tenantId()), tenant -> new LinkedHashMap<>())
          .computeIfAbsent(event.idempotencyKey(), key -> new ArrayList<>())
          .add(event);
    }
    Map<String, String> firsts = new HashMap<>();
    byTenant.forEach(
        (tenant, byKey) ->
            find(conn, name, tenant, byKey.keySet())
                .forEach(
                    (key, id) ->
                        byKey
                            .getOrDefault(key, List.of())
                            .forEach(event -> firsts.put(event.eventId(), id))));
    return firsts;
  }

  /** Neither inserted nor there: another event has the id, or the key's is out of sight. */
  StoreException unexplained(Connection conn, EventEnvelope event, @Nullable SQLException cause) {
    Parameters parameters = statements.parameters().ids(List.of(event.eventId()));
    boolean idTaken = !statements.query(conn, "inspect", parameters, EventRows::state).isEmpty();
    if (idTaken) {
      String text = "event " + event.eventId() + " exists already, with another idempotency key";
      return new StoreException(
          text, new SQLIntegrityConstraintViolationException(text, "23505", cause));
    }
    String text =
        "the event that has the idempotency key of event "
            + event.eventId()
            + " is out of this transaction's sight; roll back and run it again, or run it at READ"
            + " COMMITTED";
    return new StoreException(text, new SQLTransactionRollbackException(text, "40001", cause));
  }

  /** No tenant counts as one. */
  private static String of(@Nullable String tenantId) {
    return tenantId == null ? "" : tenantId;
  }
}
