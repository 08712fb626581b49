package outbox.jdbc.internal.store;

import static java.util.Comparator.comparing;
import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.InstantType;
import outbox.jdbc.internal.sql.Chunks;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore.ClaimedEvent;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.LeasedEventStore.RowState;
import outbox.util.JsonCodec;

/** Turns events into parameters and rows into events. */
public class EventRows {
  private static final Comparator<OutboxEvent> OLDEST_FIRST =
      comparing(OutboxEvent::createdAt).thenComparing(OutboxEvent::eventId);

  private final Statements statements;

  public EventRows(Statements statements) {
    this.statements = statements;
  }

  /** What an insert needs: a lease gates the row by its end, else the due time does. */
  public static Parameters parameters(
      Statements statements, EventEnvelope event, @Nullable Lease lease) {
    return parameters(statements, event, event.idempotencyKey(), lease);
  }

  /** What an insert needs that gives the event another key than its own. */
  static Parameters parameters(
      Statements statements, EventEnvelope event, String key, @Nullable Lease lease) {
    return statements
        .parameters()
        .text("event_id", event.eventId())
        .text("event_type", event.eventType())
        .text("aggregate_type", event.aggregateType())
        .text("aggregate_id", event.aggregateId())
        .text("tenant_id", event.tenantId())
        .text("idempotency_key", key)
        .text("correlation_id", event.correlationId())
        .text("payload_text", event.payloadJson())
        .bytes("payload_bytes", event.payloadBytes())
        .text("headers", headers(event))
        .instant("occurred_at", event.occurredAt())
        .instant("due_at", event.dueAt())
        .instant("expires_at", event.expiresAt())
        .text("owner", owner(lease))
        .duration("lease", duration(lease))
        .instant("not_before", lease == null ? event.dueAt() : null);
  }

  /** What an insert of many needs: an array for each column, or a row for each event. */
  public static Parameters parameters(
      Statements statements, List<EventEnvelope> events, @Nullable Lease lease) {
    if (!statements.dialect().hasArrays()) {
      return statements
          .parameters()
          .rows(events.stream().map(event -> parameters(statements, event, lease)).toList());
    }
    Columns columns = new Columns(events);
    return statements
        .parameters()
        .array("event_id", "text", columns.of(EventEnvelope::eventId))
        .array("event_type", "text", columns.of(EventEnvelope::eventType))
        .array("aggregate_type", "text", columns.of(EventEnvelope::aggregateType))
        .array("aggregate_id", "text", columns.of(EventEnvelope::aggregateId))
        .array("tenant_id", "text", columns.of(EventEnvelope::tenantId))
        .array("idempotency_key", "text", columns.of(EventEnvelope::idempotencyKey))
        .array("correlation_id", "text", columns.of(EventEnvelope::correlationId))
        .array("payload_text", "text", columns.of(EventEnvelope::payloadJson))
        .array("payload_bytes", "bytea", columns.bytes())
        .array("headers", "text", columns.of(EventRows::headers))
        .array("occurred_at", "text", columns.instants(EventEnvelope::occurredAt))
        .array("due_at", "text", columns.instants(EventEnvelope::dueAt))
        .array("expires_at", "text", columns.instants(EventEnvelope::expiresAt))
        .text("owner", owner(lease))
        .duration("lease", duration(lease));
  }

  public static @Nullable String owner(@Nullable Lease lease) {
    return lease == null ? null : lease.owner();
  }

  public static Duration duration(@Nullable Lease lease) {
    return lease == null ? Duration.ZERO : lease.duration();
  }

  private static @Nullable String headers(EventEnvelope event) {
    return event.headers().isEmpty() ? null : JsonCodec.toJson(event.headers());
  }

  public static Map.Entry<String, RowState> state(ResultSet row) throws SQLException {
    RowState state =
        new RowState(
            EventStatus.ofCode(row.getInt("status")),
            row.getString("owner_token"),
            row.getString("processed_by"),
            row.getInt("attempts"));
    return Map.entry(row.getString("event_id"), state);
  }

  public final TakenRow taken(ResultSet row) throws SQLException {
    return taken(row, statements.dialect().getInstant(row, "available_at"));
  }

  public final TakenRow taken(ResultSet row, @Nullable Instant leasedUntil) throws SQLException {
    ClaimedEvent event =
        new ClaimedEvent(
            event(row),
            row.getInt("started") == 1,
            row.getInt("lease_expiries"),
            row.getString("last_error"),
            row.getString("listeners"),
            leasedUntil,
            contentVersion(row));
    return new TakenRow(event, row.getInt("expired") == 1);
  }

  /** Events keep the content with which they were published. */
  public int contentVersion(ResultSet row) throws SQLException {
    return 1;
  }

  public OutboxEvent event(ResultSet row) throws SQLException {
    Dialect dialect = statements.dialect();
    return OutboxEvent.builder(
            row.getString("event_id"),
            row.getString("event_type"),
            requireNonNull(dialect.getInstant(row, "created_at")))
        .aggregateType(row.getString("aggregate_type"))
        .aggregateId(row.getString("aggregate_id"))
        .tenantId(row.getString("tenant_id"))
        .idempotencyKey(row.getString("idempotency_key"))
        .correlationId(row.getString("correlation_id"))
        .orderingKey(row.getString("ordering_key"))
        .payloadJson(row.getString("payload_text"))
        .payloadBytes(row.getBytes("payload_bytes"))
        .headersJson(row.getString("headers"))
        .attempts(row.getInt("attempts"))
        .occurredAt(dialect.getInstant(row, "occurred_at"))
        .dueAt(dialect.getInstant(row, "due_at"))
        .expiresAt(dialect.getInstant(row, "expires_at"))
        .build();
  }

  /**
   * Those to hand out: in order, and with the payloads of rows that a node of version 1 wrote after
   * the upgrade.
   */
  final List<ClaimedEvent> finished(Connection conn, List<TakenRow> taken) {
    List<ClaimedEvent> claimed = new ArrayList<>(taken.size());
    for (TakenRow row : taken) {
      if (!row.expired()) {
        claimed.add(row.event());
      }
    }
    Map<String, String> old =
        version1Payloads(conn, claimed.stream().map(ClaimedEvent::event).toList());
    if (!old.isEmpty()) {
      claimed.replaceAll(each -> withPayload(each, old));
    }
    claimed.sort(comparing(ClaimedEvent::event, OLDEST_FIRST));
    return claimed;
  }

  final List<OutboxEvent> finishedEvents(Connection conn, List<OutboxEvent> events) {
    Map<String, String> old = version1Payloads(conn, events);
    return events.stream().map(event -> withPayload(event, old)).sorted(OLDEST_FIRST).toList();
  }

  private Map<String, String> version1Payloads(Connection conn, List<OutboxEvent> events) {
    List<String> ids =
        events.stream()
            .filter(event -> event.payloadJson() == null && event.payloadBytes() == null)
            .map(OutboxEvent::eventId)
            .toList();
    Map<String, String> payloads = new HashMap<>();
    for (List<String> chunk : Chunks.of(ids, statements.dialect().maxIds())) {
      statements
          .query(
              conn,
              "version1_payload",
              statements.parameters().ids(chunk),
              row -> Map.entry(row.getString("event_id"), row.getString("payload")))
          .forEach(entry -> payloads.put(entry.getKey(), entry.getValue()));
    }
    return payloads;
  }

  private static ClaimedEvent withPayload(ClaimedEvent claimed, Map<String, String> payloads) {
    return new ClaimedEvent(
        withPayload(claimed.event(), payloads),
        claimed.suspect(),
        claimed.leaseExpiries(),
        claimed.lastError(),
        claimed.listeners(),
        claimed.leasedUntil(),
        claimed.contentVersion());
  }

  private static OutboxEvent withPayload(OutboxEvent event, Map<String, String> payloads) {
    String payload = payloads.get(event.eventId());
    return payload == null ? event : event.toBuilder().payloadJson(payload).build();
  }

  /** One property of many events, as an array. */
  private record Columns(List<EventEnvelope> events) {
    Object[] of(Function<EventEnvelope, @Nullable String> property) {
      String[] column = new String[events.size()];
      Arrays.setAll(column, i -> property.apply(events.get(i)));
      return column;
    }

    Object[] instants(Function<EventEnvelope, @Nullable Instant> property) {
      return of(
          event -> {
            Instant instant = property.apply(event);
            return instant == null ? null : InstantType.storable(instant).toString();
          });
    }

    Object[] bytes() {
      byte[][] column = new byte[events.size()][];
      Arrays.setAll(column, i -> events.get(i).payloadBytes());
      return column;
    }
  }
}
