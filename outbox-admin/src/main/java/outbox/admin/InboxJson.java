package outbox.admin;

import outbox.admin.data.InboxDetail;
import outbox.admin.data.InboxRow;

/** Messages of an inbox as JSON. */
record InboxJson(PayloadJson payloads) {

  static JsonObject row(InboxRow row) {
    return new JsonObject()
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

  JsonObject detail(InboxDetail message) {
    InboxRow row = message.row();
    return row(row)
        .put("error", message.error())
        .put("headers", payloads.headers(row.topic(), message.headers()))
        .put("payload", payloads.payload(row.topic(), message.payload()))
        .put("timeline", EventJson.timeline(message.timeline()));
  }
}
