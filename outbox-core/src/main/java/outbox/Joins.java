package outbox;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStep;
import outbox.model.MessageId;

/**
 * Fan-in: starts joins, makes messages their steps and waits for them. A step counts as soon as its
 * message is acknowledged or failed, in the same transaction; handlers know nothing of it.
 * Thread-safe.
 *
 * <p><b>Transactions.</b> Each method joins the thread's transaction, if the context knows of one,
 * and otherwise commits by itself. The view that {@link #in} returns joins the transaction of a
 * connection, and neither commits nor rolls back.
 *
 * <p>To attach several existing messages in one transaction, call {@link #attachAll} once: it takes
 * their locks in order.
 */
public interface Joins {
  /** The longest grouping key: {@value} characters. */
  int MAX_GROUPING_KEY_LENGTH = 255;

  /**
   * Returns a view of these joins whose calls are part of the connection's transaction. They throw
   * an {@link IllegalStateException} if it is in auto-commit mode.
   */
  Joins in(Connection connection);

  /** Starts a join without a deadline. */
  default JoinIdentifier startJoin(
      @Nullable String groupingKey, int expectedSteps, @Nullable String metadata) {
    return startJoin(groupingKey, expectedSteps, metadata, null);
  }

  /** Starts a join without a deadline for a numeric tenant, whose number is the grouping key. */
  default JoinIdentifier startJoin(long tenantId, int expectedSteps, @Nullable String metadata) {
    return startJoin(String.valueOf(tenantId), expectedSteps, metadata);
  }

  /**
   * Starts a join.
   *
   * @param groupingKey what it belongs to, at most {@value #MAX_GROUPING_KEY_LENGTH} characters;
   *     null or empty for nothing
   * @param expectedSteps how many messages must end, at least 1
   * @param metadata the caller's own, not interpreted
   * @param deadline how long it may stay pending before it fails; null for ever
   * @throws IllegalArgumentException if a value breaks its rule
   */
  JoinIdentifier startJoin(
      @Nullable String groupingKey,
      int expectedSteps,
      @Nullable String metadata,
      @Nullable Duration deadline);

  /**
   * Makes a message a step of the join; doing it again changes nothing. If the message has ended
   * already, so has the step.
   *
   * @throws IllegalStateException if the join or the message does not exist
   */
  default void attach(JoinIdentifier join, MessageId message) {
    attachAll(join, List.of(requireNonNull(message, "message")));
  }

  /**
   * Stores a message as a step of the join, both or neither.
   *
   * @return the id of the message, or of the first one with its idempotency key
   * @throws IllegalStateException if the join does not exist
   */
  MessageId enqueueStep(JoinIdentifier join, EventEnvelope message);

  /** Attaches many messages, all or none. */
  void attachAll(JoinIdentifier join, Collection<MessageId> messages);

  /**
   * Marks a step as completed. Advanced: the acknowledgement of the message does it by itself, and
   * handlers must not call this.
   *
   * @throws IllegalStateException if the join does not exist or the message is no step of it
   */
  void reportStepCompleted(JoinIdentifier join, MessageId message);

  /** Marks a step as failed; see {@link #reportStepCompleted}. */
  void reportStepFailed(JoinIdentifier join, MessageId message);

  /**
   * Enqueues a message that waits for the join and then enqueues one of two others.
   *
   * @param failIfAnyStepFailed whether a join with a failed step continues by {@code onFail}; if
   *     not, it continues by {@code onComplete} once all steps have ended. A cancelled join, and
   *     one past its deadline, continues by {@code onFail} in any case
   * @param onFailTopic topic of the message after a failure; null to enqueue none
   * @param onFailPayload null for an empty one
   * @return the id of the wait message
   * @throws IllegalStateException if the join does not exist
   * @throws IllegalArgumentException if a continuation could not be enqueued
   */
  MessageId enqueueJoinWait(
      JoinIdentifier join,
      boolean failIfAnyStepFailed,
      String onCompleteTopic,
      String onCompletePayload,
      @Nullable String onFailTopic,
      @Nullable String onFailPayload);

  /**
   * Enqueues a message that waits for the join and enqueues nothing after a failure; see {@link
   * #enqueueJoinWait(JoinIdentifier, boolean, String, String, String, String)}.
   */
  default MessageId enqueueJoinWait(
      JoinIdentifier join,
      boolean failIfAnyStepFailed,
      String onCompleteTopic,
      String onCompletePayload) {
    return enqueueJoinWait(
        join, failIfAnyStepFailed, onCompleteTopic, onCompletePayload, null, null);
  }

  /**
   * Gives a join up: its steps no longer count, and what waits for it continues by {@code onFail}.
   *
   * @return false if it had ended before
   * @throws IllegalStateException if the join does not exist
   */
  boolean cancelJoin(JoinIdentifier join);

  /** Finds a join by its id. */
  Optional<Join> find(JoinIdentifier join);

  /** The newest joins of a grouping key, a thousand at the most. */
  List<Join> findByGroupingKey(String groupingKey);

  /** All attached steps, by message id. */
  List<JoinStep> steps(JoinIdentifier join);

  /** The attached steps that have not ended yet, by message id. */
  List<JoinStep> missingSteps(JoinIdentifier join);
}
