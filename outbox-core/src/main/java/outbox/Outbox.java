package outbox;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.model.MessageId;
import outbox.model.OwnerToken;

/**
 * A durable work queue in a table: messages are enqueued, claimed under a lease, and acknowledged,
 * abandoned or failed by the holder of the lease. Thread-safe.
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
   * Stores a message that can be claimed at once. Takes a {@code String} or {@code byte[]} as it
   * is; the outbox's {@link PayloadCodec} writes any other object.
   *
   * @throws IllegalArgumentException if the topic is null, empty or longer than 255 characters, or
   *     the payload null or too large
   * @throws IllegalStateException if the payload is an object and the outbox has no codec
   */
  default Enqueued enqueue(String topic, Object payload) {
    return enqueue(topic, payload, facts -> {});
  }

  /**
   * Stores a message with more facts than its topic and payload, such as its due time, correlation
   * id, idempotency key, tenant, headers or expiry; as {@link #enqueue(String, Object)} otherwise.
   *
   * @param facts sets them; the payload is set already
   */
  Enqueued enqueue(String topic, Object payload, Consumer<EventEnvelope.Builder> facts);

  /**
   * As {@link #enqueue(String, Object)}, in the connection's transaction.
   *
   * @throws IllegalStateException if the connection is in auto-commit mode
   */
  Enqueued enqueue(Connection connection, String topic, Object payload);

  /**
   * Stores a message. Of those with an idempotency key a tenant has one: the others are duplicates,
   * and not stored.
   */
  Enqueued enqueue(EventEnvelope message);

  /**
   * As {@link #enqueue(EventEnvelope)}, in the connection's transaction.
   *
   * @throws IllegalStateException if the connection is in auto-commit mode
   */
  Enqueued enqueue(Connection connection, EventEnvelope message);

  /**
   * Stores many messages, all or none, by few statements; returns in the order given. A duplicate
   * is left out, be the first in the queue already or in the same call.
   */
  List<Enqueued> enqueueAll(Collection<EventEnvelope> messages);

  /** As {@link #enqueueAll(Collection)}, in the connection's transaction. */
  List<Enqueued> enqueueAll(Connection connection, Collection<EventEnvelope> messages);

  /** Finds the tenant's message with this key, in whatever state it is. */
  Optional<MessageId> findByKey(@Nullable String tenantId, String idempotencyKey);

  /** As {@link #findByKey(String, String)}, as the connection's transaction sees the table. */
  Optional<MessageId> findByKey(
      Connection connection, @Nullable String tenantId, String idempotencyKey);

  /**
   * Leases due messages to the owner, those available longest first. Messages past their expiry,
   * undecodable ones and those under which too many leases expired end dead instead.
   *
   * @param lease from the moment of the statement; 10 to 300 seconds serve most
   * @param batchSize at most this many; 1 to 500 serve most. It may be fewer although more are due:
   *     payloads are handed out up to 64 MiB at once, and a message that may have killed a worker
   *     twice alone
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

  /** Extends the lease, to end this long from now. */
  Set<MessageId> renew(OwnerToken owner, Collection<MessageId> ids, Duration lease);

  /** Ends messages for good: they are kept as dead letters and never claimed again. */
  Set<MessageId> fail(OwnerToken owner, Collection<MessageId> ids, String error);

  /**
   * Takes the owner off all messages whose lease has expired, except those that another transaction
   * has locked. Housekeeping: workers can claim them anyway. Reads every message that is due, so do
   * not call it in a busy loop.
   *
   * @return how many
   */
  int reapExpired();

  /** Returns the dead letters of this outbox: to list, to replay, to discard. */
  DeadLetters deadLetters();

  /**
   * Returns the joins of this outbox: fan-in over its messages.
   *
   * @throws IllegalStateException if the outbox was built without joins
   */
  Joins joins();

  /**
   * What became of an enqueued message.
   *
   * @param id the message's id, or that of the first one with its key
   * @param idempotencyKey the key it was given, or its own id
   * @param alreadyExisted whether there was a message with its key, so that it was left out
   */
  record Enqueued(MessageId id, String idempotencyKey, boolean alreadyExisted) {}
}
