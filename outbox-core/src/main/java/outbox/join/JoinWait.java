package outbox.join;

import static java.util.Objects.requireNonNull;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.MessageId;
import outbox.util.JsonCodec;

/**
 * The content of a wait message: which join, and what to enqueue after it. Checked as a whole, so
 * that a stored continuation can be enqueued.
 *
 * @param onFailTopic null to enqueue nothing after a failure
 */
record JoinWait(
    JoinIdentifier joinId,
    boolean failIfAnyStepFailed,
    String onCompleteTopic,
    String onCompletePayload,
    @Nullable String onFailTopic,
    @Nullable String onFailPayload) {

  JoinWait {
    requireNonNull(joinId, "joinId");
    checked("onCompleteTopic", onCompleteTopic, "onCompletePayload", onCompletePayload);
    if (onFailTopic != null) {
      checked("onFailTopic", onFailTopic, "onFailPayload", payload(onFailPayload));
    }
  }

  private static void checked(String topicName, String topic, String payloadName, String payload) {
    requireNonNull(topic, topicName);
    requireNonNull(payload, payloadName);
    try {
      EventEnvelope.ofJson(topic, payload);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          topicName + " or " + payloadName + " cannot be enqueued: " + e.getMessage(), e);
    }
  }

  /** The message that waits, of the given topic. */
  EventEnvelope toMessage(String topic) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("joinId", joinId.value());
    fields.put("failIfAnyStepFailed", String.valueOf(failIfAnyStepFailed));
    fields.put("onCompleteTopic", onCompleteTopic);
    fields.put("onCompletePayload", onCompletePayload);
    if (onFailTopic != null) {
      fields.put("onFailTopic", onFailTopic);
      fields.put("onFailPayload", payload(onFailPayload));
    }
    return EventEnvelope.builder(topic)
        .payloadJson(JsonCodec.toJson(fields))
        .maxPayloadBytes(Integer.MAX_VALUE)
        .build();
  }

  /**
   * Reads what {@link #toMessage} wrote, or any other language.
   *
   * @throws IllegalArgumentException naming what is wrong, never the content
   */
  static JoinWait parse(String payload) {
    Map<String, String> fields = JsonCodec.parseFields(payload);
    @Nullable String onFailTopic = fields.get("onFailTopic");
    return new JoinWait(
        new JoinIdentifier(required(fields, "joinId")),
        Boolean.parseBoolean(required(fields, "failIfAnyStepFailed")),
        required(fields, "onCompleteTopic"),
        required(fields, "onCompletePayload"),
        onFailTopic == null || onFailTopic.isEmpty() ? null : onFailTopic,
        fields.get("onFailPayload"));
  }

  private static String required(Map<String, String> fields, String name) {
    @Nullable String value = fields.get(name);
    if (value == null) {
      throw new IllegalArgumentException("a join wait needs the field " + name);
    }
    return value;
  }

  /**
   * Returns what to enqueue after a final join. The idempotency key depends on the wait only, so
   * that there can be one continuation at the most.
   */
  Optional<EventEnvelope> continuation(MessageId waitId, Join join) {
    boolean succeeded =
        join.status() != JoinStatus.CANCELLED
            && join.isComplete()
            && !(failIfAnyStepFailed && join.failedSteps() > 0);
    if (!succeeded && onFailTopic == null) {
      return Optional.empty();
    }
    String topic = succeeded ? onCompleteTopic : requireNonNull(onFailTopic);
    return Optional.of(
        EventEnvelope.builder(topic)
            .idempotencyKey("join continuation of " + waitId)
            .correlationId(joinId.value())
            .payloadJson(succeeded ? onCompletePayload : payload(onFailPayload))
            .build());
  }

  private static String payload(@Nullable String payload) {
    return payload == null ? "" : payload;
  }
}
