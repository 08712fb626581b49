package outbox.cli;

import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.EventDetail;
import outbox.admin.data.EventRow;
import outbox.admin.data.InboxDetail;
import outbox.admin.data.InboxRow;
import outbox.admin.data.Moment;
import outbox.admin.data.Payload;

/** Messages as JSON, under the names that the HTTP interface has for the same. */
final class MessageJson {
  private MessageJson() {}

  static JsonFields of(EventRow row) {
    return new JsonFields()
        .put("id", row.id())
        .put("topic", row.topic())
        .put("tenant", row.tenant())
        .put("aggregateType", row.aggregateType())
        .put("aggregateId", row.aggregateId())
        .put("correlationId", row.correlationId())
        .put("status", row.status())
        .put("leased", row.leased())
        .put("owner", row.owner())
        .put("attempts", row.attempts())
        .put("createdAt", row.createdAt())
        .put("availableAt", row.availableAt())
        .put("dueAt", row.dueAt())
        .put("processedAt", row.processedAt())
        .put("errorSnippet", row.errorSnippet())
        .put("idempotencyKey", row.idempotencyKey())
        .put("replays", row.replays());
  }

  static JsonFields of(InboxRow row) {
    return new JsonFields()
        .put("id", row.id())
        .put("source", row.key().source())
        .put("messageId", row.key().messageId())
        .put("topic", row.topic())
        .put("status", row.status())
        .put("leased", row.leased())
        .put("owner", row.owner())
        .put("attempts", row.attempts())
        .put("contentVersion", row.contentVersion())
        .put("createdAt", row.firstSeenAt())
        .put("lastSeenAt", row.lastSeenAt())
        .put("availableAt", row.availableAt())
        .put("dueAt", row.dueAt())
        .put("processedAt", row.processedAt())
        .put("errorSnippet", row.errorSnippet())
        .put("replays", row.replays());
  }

  static JsonFields of(EventDetail event) {
    return of(event.row())
        .put("error", event.error())
        .put("headers", event.headers())
        .put("payload", payload(event.payload()))
        .put("joins", event.joins())
        .put("timeline", timeline(event.timeline()));
  }

  static JsonFields of(InboxDetail message) {
    return of(message.row())
        .put("error", message.error())
        .put("headers", message.headers())
        .put("payload", payload(message.payload()))
        .put("timeline", timeline(message.timeline()));
  }

  private static Map<String, @Nullable Object> payload(Payload payload) {
    JsonFields fields =
        new JsonFields()
            .put("kind", payload.kind().name().toLowerCase(Locale.ROOT))
            .put("size", payload.size());
    if (payload.text() != null) {
      fields.put("text", payload.text());
    }
    if (payload.bytes() != null) {
      fields.put("base64", Base64.getEncoder().encodeToString(payload.bytes()));
    }
    return fields.map();
  }

  private static List<Map<String, @Nullable Object>> timeline(List<Moment> moments) {
    return moments.stream()
        .map(
            moment ->
                new JsonFields()
                    .put("at", moment.at())
                    .put("what", what(moment))
                    .put("detail", moment.detail())
                    .map())
        .toList();
  }

  static String what(Moment moment) {
    return moment.what().name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
