package outbox.inbox;

import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.Set;
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

  /** Builds an inbox on a store by hand; all other settings have defaults. */
  static InboxBuilder builder(ConnectionProvider connections, InboxStore store) {
    return new InboxBuilder(connections, store);
  }

  /**
   * Stores a message if its key is new, or known without content, by one round trip where the
   * database can do that. Never changes the content of a message that has some.
   */
  ReceiveResult receive(InboundMessage message);

  /**
   * As {@link #receive(InboundMessage)}, in the connection's transaction. Another transaction that
   * brings the key waits until this one ends.
   */
  ReceiveResult receive(Connection connection, InboundMessage message);

  /**
   * As {@link #receive(InboundMessage)}, for a message that has a topic and a payload and no more.
   * Takes a {@code String} as it is; the inbox's {@link outbox.PayloadCodec} writes any other
   * object.
   *
   * @throws IllegalStateException if the payload is an object and the inbox has no codec
   */
  ReceiveResult receive(InboxKey key, String topic, Object payload);

  /**
   * Stores many messages, all or none, as {@link #receive(InboundMessage)} stores each: by one
   * statement for every few hundred. A key may be given more than once; the later message finds
   * what the earlier one stored.
   *
   * @return what each message was, in the order in which they are given
   */
  List<ReceiveResult> receiveAll(Collection<InboundMessage> messages);

  /**
   * As {@link #receiveAll(Collection)}, in the connection's transaction. Another transaction that
   * brings one of the keys waits until this one ends.
   */
  List<ReceiveResult> receiveAll(Connection connection, Collection<InboundMessage> messages);

  /**
   * Stores a message, or replaces content, hash and due time of a known one. Logs a WARNING if the
   * hash differs from the stored one. A DONE message stays as it is, a DEAD one stays dead. If
   * topic or payload really differ, a handler of the old content can no longer complete the
   * message: the engine hands it out again once that handler's lease has expired.
   */
  void enqueue(InboundMessage message);

  /** As {@link #enqueue(InboundMessage)}, in the connection's transaction. */
  void enqueue(Connection connection, InboundMessage message);

  /**
   * Returns whether the message is DONE. Stores an unknown key as SEEN.
   *
   * @param hash stored if there is none yet, and compared if there is one: a difference is logged
   */
  boolean alreadyProcessed(InboxKey key, byte @Nullable [] hash);

  /**
   * As {@link #alreadyProcessed(InboxKey, byte[])}, in the connection's transaction, which holds
   * the key until it ends: the effects of that transaction before {@link #markProcessed(Connection,
   * InboxKey)} happen once for each key.
   */
  boolean alreadyProcessed(Connection connection, InboxKey key, byte @Nullable [] hash);

  /**
   * Records that the caller works on a message that is SEEN. No handler gets it unless it is
   * received or enqueued.
   *
   * @return whether its status changed
   */
  boolean markProcessing(InboxKey key);

  /**
   * Makes a message that is SEEN or PROCESSING DONE. A handler that has it loses its lease.
   *
   * @return whether its status changed
   */
  boolean markProcessed(InboxKey key);

  /** As {@link #markProcessed(InboxKey)}, in the connection's transaction. */
  boolean markProcessed(Connection connection, InboxKey key);

  /**
   * Makes a message that is SEEN or PROCESSING DEAD. A handler that has it loses its lease.
   *
   * @return whether its status changed
   */
  boolean markDead(InboxKey key);

  /**
   * Gives a message that is DEAD all its attempts back, so that it is handled again.
   *
   * @param by who asked for it; kept with the message
   * @return whether it was dead
   */
  boolean replay(InboxKey key, String by);

  /**
   * Replays the dead ones of many messages, all or none of them.
   *
   * @param by who asked for it; kept with each message
   * @return the keys of those that were dead
   */
  Set<InboxKey> replay(Collection<InboxKey> keys, String by);

  /**
   * Returns the messages that are DEAD: to list, to replay and to discard. {@link
   * InboxMessage#of(outbox.model.DeadLetter)} reads the key of one.
   */
  DeadLetters deadLetters();
}
