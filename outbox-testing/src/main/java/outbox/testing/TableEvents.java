package outbox.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.PayloadCodec;
import outbox.model.EventStatus;
import outbox.spi.StoreException;
import outbox.util.JsonCodec;

/** Reads the events of a table, on every supported database. Thread-safe. */
final class TableEvents {
  private static final Pattern NAME = Pattern.compile("(\\w+\\.)?\\w+");

  private final DataSource dataSource;
  private final String select;

  TableEvents(DataSource dataSource, String tableName) {
    if (!NAME.matcher(requireNonNull(tableName, "tableName")).matches()) {
      throw new IllegalArgumentException(
          "tableName ("
              + tableName
              + ") must consist of letters, digits and underscores, with a dot after a schema");
    }
    this.dataSource = dataSource;
    this.select =
        "SELECT event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key,"
            + " correlation_id, payload_text, payload_bytes, headers, occurred_at, due_at,"
            + " expires_at, status, attempts, last_error FROM "
            + tableName
            + " ORDER BY created_at, event_id";
  }

  List<PublishedEvent> read(PayloadCodec codec) {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(select);
        ResultSet rows = statement.executeQuery()) {
      List<PublishedEvent> events = new ArrayList<>();
      while (rows.next()) {
        events.add(
            new PublishedEvent(
                envelope(rows),
                EventStatus.ofCode(rows.getInt("status")),
                rows.getInt("attempts"),
                rows.getString("last_error"),
                codec));
      }
      return events;
    } catch (SQLException e) {
      throw new StoreException("the events cannot be read; is the table there?", e);
    }
  }

  private static EventEnvelope envelope(ResultSet row) throws SQLException {
    String id = row.getString("event_id");
    String key = row.getString("idempotency_key");
    String headers = row.getString("headers");
    String text = row.getString("payload_text");
    byte[] bytes = row.getBytes("payload_bytes");
    EventEnvelope.Builder event =
        EventEnvelope.builder(row.getString("event_type"))
            .eventId(id)
            .aggregateType(row.getString("aggregate_type"))
            .aggregateId(row.getString("aggregate_id"))
            .tenantId(row.getString("tenant_id"))
            .idempotencyKey(id.equals(key) ? null : key)
            .correlationId(row.getString("correlation_id"))
            .headers(headers == null ? Map.of() : JsonCodec.parseObject(headers))
            .dueAt(instant(row, "due_at"))
            .expiresAt(instant(row, "expires_at"))
            .maxPayloadBytes(Integer.MAX_VALUE);
    Instant occurredAt = instant(row, "occurred_at");
    if (occurredAt != null) {
      event.occurredAt(occurredAt);
    }
    // A payload that retention has cleared is neither.
    return text == null
        ? event.payloadBytes(bytes == null ? "".getBytes(UTF_8) : bytes).build()
        : event.payloadJson(text).build();
  }

  /** A column without a zone is in UTC. */
  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    int index = row.findColumn(column);
    String type = row.getMetaData().getColumnTypeName(index).toUpperCase(Locale.ROOT);
    if (type.startsWith("DATETIME")) {
      LocalDateTime local = row.getObject(index, LocalDateTime.class);
      return local == null ? null : local.toInstant(ZoneOffset.UTC);
    }
    OffsetDateTime time = row.getObject(index, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }
}
