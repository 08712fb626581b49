package outbox.testing.memory;

import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.model.OutboxEvent;

/**
 * Which event has which key of a tenant: as the unique index of a database, it makes an insert of
 * the same key wait for the transaction that has inserted it. Called inside a session's statement.
 */
final class InMemoryKeys {
  private final Rows rows;
  private final Cells<String> ids;

  InMemoryKeys(Rows rows) {
    this.rows = rows;
    this.ids = new Cells<>(rows);
  }

  /** Whether the key is its producer's, not the event's own id. */
  static boolean isGiven(OutboxEvent event) {
    String key = event.idempotencyKey();
    return key != null && !key.equals(event.eventId());
  }

  /** Gives the event its key, or returns the id of the one that has it. */
  Optional<String> take(Session session, OutboxEvent event) throws SQLException {
    String key = event.idempotencyKey();
    if (key == null || !isGiven(event)) {
      return Optional.empty();
    }
    String scoped = scoped(event.tenantId(), key);
    rows.awaitRelease(scoped, () -> !ids.isLockedByOthers(session, scoped));
    Optional<String> first = find(session, event.tenantId(), key);
    if (first.isEmpty()) {
      ids.write(session, scoped, event.eventId());
    }
    return first;
  }

  /** An event that is gone has no key any more. */
  Optional<String> find(Session session, @Nullable String tenantId, String key) {
    String id = ids.read(session, scoped(tenantId, key));
    if (id != null && seen(session, id) != null) {
      return Optional.of(id);
    }
    OutboxEvent sameId = seen(session, key);
    return sameId != null && !isGiven(sameId) && tenant(sameId.tenantId()).equals(tenant(tenantId))
        ? Optional.of(key)
        : Optional.empty();
  }

  private @Nullable OutboxEvent seen(Session session, String id) {
    Rows.Row row = rows.find(id);
    StoredEvent state = row == null ? null : row.seenBy(session);
    return state == null ? null : state.event();
  }

  private static String scoped(@Nullable String tenantId, String key) {
    return tenant(tenantId) + '\0' + key;
  }

  private static String tenant(@Nullable String tenantId) {
    return tenantId == null ? "" : tenantId;
  }
}
