package outbox.inbox;

import java.sql.Connection;
import java.time.Instant;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import outbox.DeadLetters;
import outbox.spi.ConnectionProvider;

/**
 * Takes messages from outside and recognises those that it knows already. Thread-safe.
 *
 * <p>{@link #receive} is all that an endpoint needs: it stores what is new, to be handled by the
 * {@link InboxHandler} of its topic, and says what it found. {@link #alreadyProcessed} and the
 * {@code mark} methods are for those who handle messages by themselves, in the moment in which they
 * come.
 *
 * <p><b>Transactions.</b> A method that is given a {@link Connection} joins its transaction and
 * takes effect when that commits; one in auto-commit mode is refused. Every other call is one
 * transaction of its own and is durable when it returns. A key that is {@link InboxStatus#DONE} is
 * known until its {@link outbox.Retention} is over.
 */
public interface Inbox {

  /** An inbox on a store; everything else has a default. */
  static InboxBuilder builder(ConnectionProvider connections, InboxStore store) {
    return new InboxBuilder(connections, store);
  }

  /**
   * Stores a message if its key is new, or known without content, by one round trip where the
   * database can do that. The content of a message that is known already is never changed.
   */
  ReceiveResult receive(InboundMessage message);

  /** The same in the connection's transaction. Who brings the same key meanwhile waits for it. */
  ReceiveResult receive(Connection connection, InboundMessage message);

  /**
   * Stores a message whose payload the inbox's {@link outbox.PayloadCodec} writes, as {@link
   * #receive(InboundMessage)} does.
   *
   * @throws IllegalStateException if the inbox has no codec
   */
  ReceiveResult receive(InboxKey key, String topic, Object payload);

  /** The same; the hash may be null, and the message is due at once. */
  default ReceiveResult receive(
      String topic, String source, String messageId, String payload, byte @Nullable [] hash) {
    return receive(new InboundMessage(new InboxKey(source, messageId), topic, payload, hash, null));
  }

  /**
   * Stores a message, or gives one that is known its new content, hash and due time. Another hash
   * than the stored one is logged as a WARNING. One that is DONE stays as it is, one that is DEAD
   * stays dead. A handler that works on the old content, if topic or payload really differ, cannot
   * complete the message any more: it is handled again once that handler's lease has expired.
   */
  void enqueue(InboundMessage message);

  /** The same in the connection's transaction. */
  void enqueue(Connection connection, InboundMessage message);

  /** The same without hash and due time. */
  default void enqueue(String topic, String source, String messageId, String payload) {
    enqueue(topic, source, messageId, payload, null, null);
  }

  /** The same without due time. */
  default void enqueue(
      String topic, String source, String messageId, String payload, byte @Nullable [] hash) {
    enqueue(topic, source, messageId, payload, hash, null);
  }

  /**
   * Stores a message that is due later, without a hash; as {@link #enqueue(InboundMessage)}.
   *
   * @param dueTime not handled before this instant
   */
  default void enqueue(
      String topic, String source, String messageId, String payload, @Nullable Instant dueTime) {
    enqueue(topic, source, messageId, payload, null, dueTime);
  }

  /** The same, field by field. */
  default void enqueue(
      String topic,
      String source,
      String messageId,
      String payload,
      byte @Nullable [] hash,
      @Nullable Instant dueTime) {
    enqueue(new InboundMessage(new InboxKey(source, messageId), topic, payload, hash, dueTime));
  }

  /**
   * Whether the message is DONE. One that is not known is stored as SEEN.
   *
   * @param hash stored if there is none yet, and compared if there is one: a difference is logged
   */
  boolean alreadyProcessed(InboxKey key, byte @Nullable [] hash);

  /**
   * The same in the connection's transaction, which has the key for itself until it ends: what is
   * done in it before {@link #markProcessed(Connection, InboxKey)} is done once for each key.
   */
  boolean alreadyProcessed(Connection connection, InboxKey key, byte @Nullable [] hash);

  /** The same without a hash. */
  default boolean alreadyProcessed(String messageId, String source) {
    return alreadyProcessed(messageId, source, null);
  }

  /** The same, field by field. */
  default boolean alreadyProcessed(String messageId, String source, byte @Nullable [] hash) {
    return alreadyProcessed(new InboxKey(source, messageId), hash);
  }

  /**
   * Says that the caller works on a message that is SEEN. No handler gets it unless it is received
   * or enqueued.
   *
   * @return whether its status changed
   */
  boolean markProcessing(InboxKey key);

  /** The same. */
  default boolean markProcessing(String messageId, String source) {
    return markProcessing(new InboxKey(source, messageId));
  }

  /**
   * Makes a message that is SEEN or PROCESSING DONE. A handler that has it loses its lease.
   *
   * @return whether its status changed
   */
  boolean markProcessed(InboxKey key);

  /** The same in the connection's transaction. */
  boolean markProcessed(Connection connection, InboxKey key);

  /** The same. */
  default boolean markProcessed(String messageId, String source) {
    return markProcessed(new InboxKey(source, messageId));
  }

  /**
   * Makes a message that is SEEN or PROCESSING DEAD. A handler that has it loses its lease.
   *
   * @return whether its status changed
   */
  boolean markDead(InboxKey key);

  /** The same. */
  default boolean markDead(String messageId, String source) {
    return markDead(new InboxKey(source, messageId));
  }

  /**
   * Gives a message that is DEAD all its attempts back.
   *
   * @return whether it was dead
   */
  boolean revive(InboxKey key);

  /** The same for many, all or none; returns how many were dead. */
  int revive(Collection<InboxKey> keys);

  /**
   * The messages that are DEAD: to list, to replay, which is to revive them, and to discard. {@link
   * InboxMessage#of(outbox.model.DeadLetter)} says the key of one.
   */
  DeadLetters deadLetters();
}
