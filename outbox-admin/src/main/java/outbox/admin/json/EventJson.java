package outbox.admin.json;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.EventDetail;
import outbox.admin.data.EventRow;
import outbox.admin.data.Moment;

/** Events as JSON. */
public final class EventJson {
  private EventJson() {}

  /** As lists have it. */
  public static JsonObject row(EventRow row) {
    return new JsonObject()
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
        .put("leasedUntil", row.leasedUntil())
        .put("dueAt", row.dueAt())
        .put("processedAt", row.processedAt())
        .put("errorSnippet", row.errorSnippet())
        .put("failedListeners", row.listeners().failed())
        .put("doneListeners", row.listeners().done())
        .put("idempotencyKey", row.idempotencyKey())
        .put("replays", row.replays());
  }

  /** All about one. */
  public static JsonObject detail(EventDetail event) {
    return row(event.row())
        .put("error", event.error())
        .put("occurredAt", at(event.timeline(), Moment.What.OCCURRED))
        .put("expiresAt", at(event.timeline(), Moment.What.EXPIRES))
        .put("headers", event.headers())
        .put("payload", PayloadJson.of(event.payload()))
        .put("joins", event.joins())
        .put("timeline", timeline(event.timeline()));
  }

  static List<JsonObject> timeline(List<Moment> moments) {
    return moments.stream()
        .map(
            moment ->
                new JsonObject()
                    .put("at", moment.at())
                    .put("what", moment.what().words())
                    .put("detail", moment.detail()))
        .toList();
  }

  private static @Nullable Instant at(List<Moment> moments, Moment.What what) {
    return moments.stream()
        .filter(moment -> moment.what() == what)
        .map(Moment::at)
        .findFirst()
        .orElse(null);
  }
}
