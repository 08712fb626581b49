package outbox.admin.json;

import outbox.admin.data.InboxDetail;
import outbox.admin.data.InboxRow;

/** Messages of an inbox as JSON. */
public final class InboxJson {
  private InboxJson() {}

  /** As lists have it. */
  public static JsonObject row(InboxRow row) {
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
        .put("leasedUntil", row.leasedUntil())
        .put("dueAt", row.dueAt())
        .put("processedAt", row.processedAt())
        .put("errorSnippet", row.errorSnippet())
        .put("failedListeners", row.listeners().failed())
        .put("doneListeners", row.listeners().done())
        .put("replays", row.replays());
  }

  /** All about one. */
  public static JsonObject detail(InboxDetail message) {
    return row(message.row())
        .put("error", message.error())
        .put("headers", message.headers())
        .put("payload", PayloadJson.of(message.payload()))
        .put("timeline", EventJson.timeline(message.timeline()));
  }
}
