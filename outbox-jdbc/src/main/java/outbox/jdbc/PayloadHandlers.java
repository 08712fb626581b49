package outbox.jdbc;

import java.sql.Connection;
import outbox.Batches;
import outbox.HandlerContext;
import outbox.PayloadListener;
import outbox.inbox.InboxBatchHandler;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxMessage;
import outbox.inbox.TransactionalInboxBatchHandler;
import outbox.inbox.TransactionalInboxHandler;

/**
 * The options of a builder of inboxes for handlers that take their payload as an object. The
 * builder's {@link outbox.PayloadCodec} reads it, also if the codec is set later.
 *
 * @param <B> the builder itself, which the options return
 */
interface PayloadHandlers<B extends PayloadHandlers<B>> {

  /** Adds a handler of its topic. */
  B handler(InboxHandler handler);

  /** Adds a handler of its topic that works in the transaction which completes the message. */
  B transactionalHandler(TransactionalInboxHandler handler);

  /** Adds a handler that gets the messages of a topic in batches. */
  B batchHandler(String topic, Batches batches, InboxBatchHandler handler);

  /** Adds a batch handler whose writes commit together with the completion of its messages. */
  B transactionalBatchHandler(
      String topic, Batches batches, TransactionalInboxBatchHandler handler);

  /**
   * Adds a handler of a topic that takes the payload as an object.
   *
   * @param type the class that the payload is read as
   */
  default <T> B handler(String topic, Class<T> type, PayloadListener<T> handler) {
    PayloadReader<T> reader = PayloadReader.of(this, type);
    return handler(
        InboxHandler.of(
            topic, (message, context) -> handler.handle(reader.read(message.payload()))));
  }

  /** Adds a handler that takes the payload as an object, the message, and the context. */
  default <T> B handler(
      String topic,
      Class<T> type,
      PayloadListener.WithBoth<T, InboxMessage, HandlerContext> handler) {
    PayloadReader<T> reader = PayloadReader.of(this, type);
    return handler(
        InboxHandler.of(
            topic,
            (message, context) ->
                handler.handle(reader.read(message.payload()), message, context)));
  }

  /**
   * Adds a handler that takes the payload as an object, and a connection: what it writes by that
   * commits together with the completion of its message.
   */
  default <T> B transactionalHandler(
      String topic, Class<T> type, PayloadListener.With<T, Connection> handler) {
    PayloadReader<T> reader = PayloadReader.of(this, type);
    return transactionalHandler(
        TransactionalInboxHandler.of(
            topic,
            (message, connection) -> handler.handle(reader.read(message.payload()), connection)));
  }

  /**
   * Adds a handler that takes the payload as an object, the message, and a connection: what it
   * writes by that commits together with the completion of its message.
   */
  default <T> B transactionalHandler(
      String topic, Class<T> type, PayloadListener.WithBoth<T, InboxMessage, Connection> handler) {
    PayloadReader<T> reader = PayloadReader.of(this, type);
    return transactionalHandler(
        TransactionalInboxHandler.of(
            topic,
            (message, connection) ->
                handler.handle(reader.read(message.payload()), message, connection)));
  }
}
