package outbox.admin;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.EventRow;
import outbox.admin.data.JoinDetail;
import outbox.admin.json.EventJson;
import outbox.admin.json.JsonObject;
import outbox.model.EventStatus;
import outbox.model.Join;
import outbox.model.StepStatus;

/** Joins as JSON. */
final class JoinJson {
  private JoinJson() {}

  static JsonObject row(Join join) {
    return new JsonObject()
        .put("id", join.id().value())
        .put("groupingKey", join.groupingKey())
        .put("status", join.status())
        .put("expected", join.expectedSteps())
        .put("completed", join.completedSteps())
        .put("failed", join.failedSteps())
        .put("createdAt", join.createdAt())
        .put("endedAt", join.status().isFinal() ? join.lastUpdatedAt() : null)
        .put("deadline", join.deadline());
  }

  static JsonObject detail(JoinDetail detail, Redactor redactor) {
    List<String> missing =
        detail.members().stream()
            .filter(member -> member.status() == StepStatus.PENDING)
            .map(JoinDetail.Member::messageId)
            .toList();
    return row(detail.join())
        .put("metadata", redactor.metadata(detail.join()))
        .put("unattached", detail.unattached())
        .put("missing", missing)
        .put("missingTruncated", missing.size() >= JoinDetail.MAX_MEMBERS)
        .put("members", detail.members().stream().map(JoinJson::member).toList())
        .put("waits", detail.waits().stream().map(JoinDetail.Wait::messageId).toList());
  }

  private static JsonObject member(JoinDetail.Member member) {
    EventRow message = member.message();
    return new JsonObject()
        .put("messageId", member.messageId())
        .put("status", member.status())
        .put("attachedAt", member.attachedAt())
        .put("endedAt", message == null ? null : endedAt(message))
        .put("message", event(message));
  }

  /** A dead message was available last when it died. */
  private static @Nullable Instant endedAt(EventRow message) {
    return message.status() == EventStatus.DEAD ? message.availableAt() : message.processedAt();
  }

  private static @Nullable JsonObject event(@Nullable EventRow message) {
    return message == null ? null : EventJson.row(message);
  }
}
