package outbox.join;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.PayloadCodec;
import outbox.model.JoinIdentifier;
import outbox.model.MessageId;

/**
 * A join in one expression: {@link #start} stores the join, enqueues its steps, attaches them and
 * enqueues the wait, in one transaction. Not thread-safe; for one use.
 */
public final class JoinPlan {
  private final JoinCoordinator joins;
  private final PayloadCodec codec;
  private final List<EventEnvelope> steps = new ArrayList<>();
  private final List<MessageId> existing = new ArrayList<>();
  private @Nullable String groupingKey;
  private @Nullable String metadata;
  private @Nullable Duration deadline;
  private boolean failIfAnyStepFailed = true;
  private @Nullable Continuation onComplete;
  private @Nullable Continuation onFail;

  JoinPlan(JoinCoordinator joins, PayloadCodec codec) {
    this.joins = joins;
    this.codec = codec;
  }

  /** Sets what the join belongs to, such as a customer or a workflow. */
  public JoinPlan groupingKey(@Nullable String groupingKey) {
    this.groupingKey = groupingKey;
    return this;
  }

  /** Sets a text of the caller's own, which the library does not interpret. */
  public JoinPlan metadata(@Nullable String metadata) {
    this.metadata = metadata;
    return this;
  }

  /** Sets the time after which the join fails if it is still pending. */
  public JoinPlan deadline(Duration deadline) {
    this.deadline = requireNonNull(deadline, "deadline");
    return this;
  }

  /** Adds a step to enqueue. Takes a {@code String} as it is; the codec writes other objects. */
  public JoinPlan step(String topic, Object payload) {
    return step(EventEnvelope.builder(topic).payload(payload, codec).build());
  }

  /** Adds a step to enqueue, with all that an envelope can say. */
  public JoinPlan step(EventEnvelope message) {
    steps.add(requireNonNull(message, "message"));
    return this;
  }

  /** Adds a message that exists already as a step. */
  public JoinPlan step(MessageId message) {
    existing.add(requireNonNull(message, "message"));
    return this;
  }

  /**
   * Sets the message to enqueue when all steps have ended. Takes a {@code String} as it is; the
   * codec writes other objects. Without it nothing waits for the join.
   *
   * @throws IllegalArgumentException if the codec writes bytes: a continuation is text
   */
  public JoinPlan onComplete(String topic, Object payload) {
    this.onComplete = new Continuation(topic, text("onCompletePayload", topic, payload));
    return this;
  }

  /**
   * Sets the message to enqueue when a step has failed, the deadline has passed or the join was
   * cancelled. Takes a {@code String} as it is; the codec writes other objects.
   *
   * @throws IllegalArgumentException if the codec writes bytes: a continuation is text
   */
  public JoinPlan onFail(String topic, Object payload) {
    this.onFail = new Continuation(topic, text("onFailPayload", topic, payload));
    return this;
  }

  private String text(String name, String topic, Object payload) {
    if (requireNonNull(payload, name) instanceof String given) {
      return given;
    }
    String text = EventEnvelope.builder(topic).payload(payload, codec).build().payloadJson();
    if (text == null) {
      throw new IllegalArgumentException(
          "the payload of a continuation must be text, and this one is bytes ("
              + codec.contentType()
              + "); give it as a String, or use a codec that writes text");
    }
    return text;
  }

  /** Enqueues {@code onComplete} once all steps have ended, even if some have failed. */
  public JoinPlan toleratingFailedSteps() {
    this.failIfAnyStepFailed = false;
    return this;
  }

  /**
   * Stores join, steps and wait, in the transaction of the coordinator that the plan came from.
   *
   * @throws IllegalStateException if there is an {@code onFail} without an {@code onComplete}, or
   *     an attached message does not exist
   * @throws IllegalArgumentException if there is no step or a value breaks its rule
   */
  public Started start() {
    if (onFail != null && onComplete == null) {
      throw new IllegalStateException("onFail needs an onComplete beside it; set both or neither");
    }
    return joins.together(connection -> started(connection, joins.in(connection)));
  }

  private Started started(Connection connection, JoinCoordinator here) {
    int expected = steps.size() + existing.size();
    JoinIdentifier join = here.startJoin(groupingKey, expected, metadata, deadline);
    List<MessageId> members = new ArrayList<>(here.insert(connection, steps));
    members.addAll(existing);
    here.attachAll(join, members);
    return new Started(join, List.copyOf(members), waiting(here, join));
  }

  private @Nullable MessageId waiting(JoinCoordinator here, JoinIdentifier join) {
    if (onComplete == null) {
      return null;
    }
    return here.enqueueJoinWait(
        join,
        failIfAnyStepFailed,
        onComplete.topic,
        onComplete.payload,
        onFail == null ? null : onFail.topic,
        onFail == null ? null : onFail.payload);
  }

  private record Continuation(String topic, String payload) {}

  /**
   * What was stored.
   *
   * @param steps the messages in the order given, new ones before existing ones
   * @param waitId the message that waits; null if nothing does
   */
  public record Started(JoinIdentifier join, List<MessageId> steps, @Nullable MessageId waitId) {}
}
