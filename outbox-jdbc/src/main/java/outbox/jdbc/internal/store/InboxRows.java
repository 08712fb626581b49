package outbox.jdbc.internal.store;

import static java.util.Objects.requireNonNull;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.inbox.InboxStore.Arrival;
import outbox.jdbc.internal.dialect.Dialect;
import outbox.jdbc.internal.dialect.InstantType;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.model.InboxEntry;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore.Lease;
import outbox.util.JsonCodec;

/** Turns messages into parameters, and rows of the inbox into messages and events. */
public final class InboxRows extends EventRows {
  /** What is needed where a statement that changes rows cannot return or skip them. */
  public static final Set<String> STATEMENTS = Set.of("found", "received", "received_all");

  private final Dialect dialect;

  public InboxRows(Statements statements) {
    super(statements);
    this.dialect = statements.dialect();
  }

  public static Parameters parameters(
      Statements statements, String eventId, InboundMessage message, @Nullable Lease lease) {
    return parameters(statements, eventId, message)
        .text("owner", owner(lease))
        .duration("lease", duration(lease));
  }

  public static Parameters parameters(
      Statements statements, String eventId, InboundMessage message) {
    return parameters(statements, eventId, message.key(), message.hash())
        .text("topic", message.topic())
        .text("payload", message.payload())
        .text("headers", headers(message.headers()))
        .instant("due_at", message.dueTime());
  }

  /** What is needed to receive many by one lease: an array for each column, or a row for each. */
  public static Parameters ofMany(
      Statements statements, List<Arrival> arrivals, @Nullable Lease lease) {
    Parameters all =
        statements.parameters().text("owner", owner(lease)).duration("lease", duration(lease));
    if (!statements.dialect().hasArrays()) {
      return all.rows(
          arrivals.stream()
              .map(each -> parameters(statements, each.eventId(), each.message(), lease))
              .toList());
    }
    return all.array("event_id", "text", column(arrivals, Arrival::eventId))
        .array("source", "text", column(arrivals, each -> each.message().key().source()))
        .array("message_id", "text", column(arrivals, each -> each.message().key().messageId()))
        .array("topic", "text", column(arrivals, each -> each.message().topic()))
        .array("payload", "text", column(arrivals, each -> each.message().payload()))
        .array("headers", "text", column(arrivals, each -> headers(each.message().headers())))
        .array(
            "hash",
            "bytea",
            arrivals.stream().map(each -> each.message().hash()).toArray(byte[][]::new))
        .array("due_at", "text", column(arrivals, each -> text(each.message().dueTime())));
  }

  private static Object[] column(
      List<Arrival> arrivals, Function<Arrival, @Nullable String> value) {
    return arrivals.stream().map(value).toArray(String[]::new);
  }

  private static @Nullable String text(@Nullable Instant instant) {
    return instant == null ? null : InstantType.storable(instant).toString();
  }

  public static Parameters parameters(
      Statements statements, String eventId, InboxKey key, byte @Nullable [] hash) {
    return parameters(statements, key).text("event_id", eventId).bytes("hash", hash);
  }

  public static Parameters parameters(Statements statements, InboxKey key) {
    return statements.parameters().text("source", key.source()).text("message_id", key.messageId());
  }

  public static Map.Entry<InboxKey, String> id(ResultSet row) throws SQLException {
    return Map.entry(key(row), row.getString("event_id"));
  }

  @Override
  public OutboxEvent event(ResultSet row) throws SQLException {
    Instant firstSeen = requireNonNull(dialect.getInstant(row, "first_seen_at"));
    String topic = row.getString("topic");
    return OutboxEvent.builder(row.getString("event_id"), topic == null ? "" : topic, firstSeen)
        .payloadJson(row.getString("payload"))
        .headersJson(row.getString("headers"))
        .inboxEntry(
            new InboxEntry(
                row.getString("source"),
                row.getString("message_id"),
                row.getBytes("hash"),
                contentVersion(row),
                dialect.getInstant(row, "seen_again_at")))
        .attempts(row.getInt("attempts"))
        .occurredAt(firstSeen)
        .dueAt(dialect.getInstant(row, "due_at"))
        .build();
  }

  @Override
  public int contentVersion(ResultSet row) throws SQLException {
    return row.getInt("content_version");
  }

  public InboxMessage message(ResultSet row) throws SQLException {
    Instant firstSeen = requireNonNull(dialect.getInstant(row, "first_seen_at"));
    Instant seenAgain = dialect.getInstant(row, "seen_again_at");
    return new InboxMessage(
        key(row),
        status(row.getInt("status")),
        row.getString("topic"),
        row.getString("payload"),
        row.getBytes("hash"),
        row.getInt("attempts"),
        contentVersion(row),
        firstSeen,
        InboxMessage.lastSeen(firstSeen, seenAgain),
        dialect.getInstant(row, "due_at"),
        row.getString("last_error"),
        headers(row.getString("headers")));
  }

  private static @Nullable String headers(Map<String, String> headers) {
    return headers.isEmpty() ? null : JsonCodec.toJson(headers);
  }

  private static Map<String, String> headers(@Nullable String json) {
    return json == null ? Map.of() : JsonCodec.parseObject(json);
  }

  public static InboxKey key(ResultSet row) throws SQLException {
    return new InboxKey(row.getString("source"), row.getString("message_id"));
  }

  /**
   * 0 and 2 wait for a handler or have one, as in the outbox; 5 is processed by its sender's call.
   */
  public static InboxStatus status(int code) {
    return switch (code) {
      case 0, 2, 5 -> InboxStatus.PROCESSING;
      case 1 -> InboxStatus.DONE;
      case 3 -> InboxStatus.DEAD;
      case 4 -> InboxStatus.SEEN;
      default -> throw new IllegalArgumentException("status " + code + " is no inbox status");
    };
  }

  /** Whether a row of this code was seen, or marked by hand, and no more. */
  public static boolean lacksContent(int code) {
    return code == 4 || code == 5;
  }
}
