package outbox;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.model.JoinIdentifier;
import outbox.model.MessageId;
import outbox.model.OwnerToken;

/**
 * A durable work queue in a table: messages are enqueued, claimed under a lease, and acknowledged,
 * abandoned or failed by whoever holds the lease. Thread-safe.
 *
 * <p><b>Transactions.</b> A method that is given a {@link Connection} joins its transaction and
 * neither commits nor rolls back. An {@code enqueue} without one joins the thread's transaction if
 * the outbox knows of one, and otherwise commits by itself. Every other method is one transaction
 * of its own.
 *
 * <p><b>Fence.</b> {@code ack}, {@code abandon}, {@code defer}, {@code release}, {@code renew} and
 * {@code fail} change exactly the messages that are still leased to the given owner, and return
 * their ids; all others are left alone without an error.
 *
 * <p>Delivery is at least once and in no particular order. {@link OutboxBuilder} makes one by hand.
 */
public interface Outbox {

  /**
   * Stores a message that can be claimed at once.
   *
   * @throws IllegalArgumentException if the topic is null, empty or longer than 255 characters, the
   *     payload null or too large, or the correlation id longer than 255 characters
   */
  default Enqueued enqueue(String topic, String payload) {
    return enqueue(topic, payload, null, null);
  }

  /** The same with a correlation id, which is for tracing only. */
  default Enqueued enqueue(String topic, String payload, @Nullable String correlationId) {
    return enqueue(topic, payload, correlationId, null);
  }

  /** The same, not to be claimed before the due time. */
  Enqueued enqueue(
      String topic, String payload, @Nullable String correlationId, @Nullable Instant dueTime);

  /**
   * Stores a message in the connection's transaction.
   *
   * @throws IllegalStateException if the connection is in auto-commit mode
   */
  default Enqueued enqueue(Connection connection, String topic, String payload) {
    return enqueue(connection, topic, payload, null, null);
  }

  /** The same with a correlation id. */
  default Enqueued enqueue(
      Connection connection, String topic, String payload, @Nullable String correlationId) {
    return enqueue(connection, topic, payload, correlationId, null);
  }

  /** The same, not to be claimed before the due time. */
  Enqueued enqueue(
      Connection connection,
      String topic,
      String payload,
      @Nullable String correlationId,
      @Nullable Instant dueTime);

  /**
   * Stores a message whose payload the outbox's {@link PayloadCodec} writes, to be claimed at once.
   * Takes a {@code byte[]} as it is.
   *
   * @throws IllegalStateException if the outbox has no codec
   */
  Enqueued enqueue(String topic, Object payload);

  /**
   * As {@link #enqueue(String, Object)}, in the connection's transaction.
   *
   * @throws IllegalStateException if the connection is in auto-commit mode, or the outbox has no
   *     codec
   */
  Enqueued enqueue(Connection connection, String topic, Object payload);

  /**
   * Stores a message with all that an envelope can say: headers, tenant, expiry, bytes, and an
   * idempotency key, of which a tenant has one message: the others are duplicates, and not stored.
   */
  Enqueued enqueue(EventEnvelope message);

  /** The same in the connection's transaction. */
  Enqueued enqueue(Connection connection, EventEnvelope message);

  /**
   * Stores many messages, all or none, by few statements; returns in the order given. A duplicate
   * is left out, be the first in the queue already or in the same call.
   */
  List<Enqueued> enqueueAll(Collection<EventEnvelope> messages);

  /** The same in the connection's transaction. */
  List<Enqueued> enqueueAll(Connection connection, Collection<EventEnvelope> messages);

  /** The tenant's message with this key, in whatever state it is. */
  Optional<MessageId> findByKey(@Nullable String tenantId, String idempotencyKey);

  /** The same as the connection's transaction sees it. */
  Optional<MessageId> findByKey(
      Connection connection, @Nullable String tenantId, String idempotencyKey);

  /**
   * Stores a message as a step of the join, both or neither.
   *
   * @throws IllegalStateException if the join does not exist, or as {@link #joins()} does
   */
  Enqueued enqueue(EventEnvelope message, JoinIdentifier join);

  /** The same in the connection's transaction. */
  Enqueued enqueue(Connection connection, EventEnvelope message, JoinIdentifier join);

  /**
   * Leases due messages to the owner, those available longest first. Messages past their expiry,
   * undecodable ones and those under which too many leases ran out end dead instead.
   *
   * @param lease from the moment of the statement; 10 to 300 seconds serve most
   * @param batchSize at most this many; 1 to 500 serve most. It may be fewer although more are due:
   *     payloads are handed out up to 64 MiB at once, and messages that may have killed a worker
   *     twice one at a time
   * @return empty if none is due
   */
  List<OutboxMessage> claim(OwnerToken owner, Duration lease, int batchSize);

  /** Marks messages as processed. */
  Set<MessageId> ack(OwnerToken owner, Collection<MessageId> ids);

  /**
   * Gives messages back after a failure, to be claimed again after a growing delay; ends those that
   * have been delivered as often as they may.
   */
  default Set<MessageId> abandon(OwnerToken owner, Collection<MessageId> ids) {
    return abandon(owner, ids, null, null);
  }

  /**
   * Gives messages back after a failure; counts a retry.
   *
   * @param error why, to be read by an operator; null if unknown
   * @param delay until they can be claimed again, however often they have failed; null for the
   *     outbox's own schedule: 2, 4, 8 … up to 60 seconds by default, and dead after 10 deliveries
   */
  Set<MessageId> abandon(
      OwnerToken owner,
      Collection<MessageId> ids,
      @Nullable String error,
      @Nullable Duration delay);

  /** Gives messages back, to be claimed after the delay; counts nothing. */
  Set<MessageId> defer(OwnerToken owner, Collection<MessageId> ids, Duration delay);

  /** Gives messages back, to be claimed at once; counts nothing. */
  default Set<MessageId> release(OwnerToken owner, Collection<MessageId> ids) {
    return defer(owner, ids, Duration.ZERO);
  }

  /** Lets the lease run for this long from now on. */
  Set<MessageId> renew(OwnerToken owner, Collection<MessageId> ids, Duration lease);

  /** Ends messages for good: they are kept as dead letters and never claimed again. */
  Set<MessageId> fail(OwnerToken owner, Collection<MessageId> ids, String error);

  /**
   * Takes the owner off all messages whose lease has run out, but those that another transaction
   * has locked. Housekeeping: they can be claimed anyway. Looks at every message that is due, so it
   * is not for a busy loop.
   *
   * @return how many
   */
  int reapExpired();

  /** The messages that ended dead: to list, to replay, to discard. */
  DeadLetters deadLetters();

  /**
   * Fan-in over the messages of this outbox; the methods below are its most used ones.
   *
   * @throws IllegalStateException if the outbox was built without joins
   */
  Joins joins();

  /** See {@link Joins#startJoin(String, int, String)}. */
  default JoinIdentifier startJoin(
      @Nullable String groupingKey, int expectedSteps, @Nullable String metadata) {
    return joins().startJoin(groupingKey, expectedSteps, metadata);
  }

  /** See {@link Joins#startJoin(long, int, String)}. */
  default JoinIdentifier startJoin(long tenantId, int expectedSteps, @Nullable String metadata) {
    return joins().startJoin(tenantId, expectedSteps, metadata);
  }

  /** See {@link Joins#attach}. */
  default void attachMessageToJoin(JoinIdentifier join, MessageId message) {
    joins().attach(join, message);
  }

  /** See {@link Joins#reportStepCompleted}; handlers must not call it. */
  default void reportStepCompleted(JoinIdentifier join, MessageId message) {
    joins().reportStepCompleted(join, message);
  }

  /** See {@link Joins#reportStepFailed}; handlers must not call it. */
  default void reportStepFailed(JoinIdentifier join, MessageId message) {
    joins().reportStepFailed(join, message);
  }

  /** See {@link Joins#enqueueJoinWait(JoinIdentifier, boolean, String, String)}. */
  default MessageId enqueueJoinWait(
      JoinIdentifier join,
      boolean failIfAnyStepFailed,
      String onCompleteTopic,
      String onCompletePayload) {
    return joins().enqueueJoinWait(join, failIfAnyStepFailed, onCompleteTopic, onCompletePayload);
  }

  /** See {@link Joins#enqueueJoinWait(JoinIdentifier, boolean, String, String, String, String)}. */
  default MessageId enqueueJoinWait(
      JoinIdentifier join,
      boolean failIfAnyStepFailed,
      String onCompleteTopic,
      String onCompletePayload,
      @Nullable String onFailTopic,
      @Nullable String onFailPayload) {
    return joins()
        .enqueueJoinWait(
            join,
            failIfAnyStepFailed,
            onCompleteTopic,
            onCompletePayload,
            onFailTopic,
            onFailPayload);
  }

  /**
   * What became of an enqueued message.
   *
   * @param id the message's id, or that of the first one with its key
   * @param idempotencyKey the key it was given, or its own id
   * @param alreadyExisted whether there was a message with its key, so that it was left out
   */
  record Enqueued(MessageId id, String idempotencyKey, boolean alreadyExisted) {}
}
