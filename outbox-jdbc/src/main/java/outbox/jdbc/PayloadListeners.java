package outbox.jdbc;

import java.sql.Connection;
import outbox.EventEnvelope;
import outbox.HandlerContext;
import outbox.OutboxHandler;
import outbox.OutboxMessage;
import outbox.PayloadCodec;
import outbox.PayloadListener;
import outbox.TransactionalEventListener;

/**
 * The options of a builder of outboxes for listeners and handlers that take their payload as an
 * object. The builder's {@link PayloadCodec} reads it, also if the codec is set later.
 *
 * @param <B> the builder itself, which the options return
 */
interface PayloadListeners<B extends PayloadListeners<B>> extends BatchListeners<B> {

  /** Adds a handler of its topic. */
  B handler(OutboxHandler handler);

  /** Adds a listener whose writes commit together with the completion of the event. */
  B transactionalListener(String eventType, TransactionalEventListener listener);

  /** Adds a transactional listener under a name of its own. */
  B transactionalListener(String eventType, String name, TransactionalEventListener listener);

  /**
   * Adds a listener that takes the payload as an object.
   *
   * @param type the class that the payload is read as
   */
  default <T> B listener(String eventType, Class<T> type, PayloadListener<T> listener) {
    PayloadReader<T> reader = PayloadReader.of(this, type);
    return listener(eventType, event -> listener.handle(reader.read(event)));
  }

  /** Adds a listener that takes the payload as an object, and the event beside it. */
  default <T> B listener(
      String eventType, Class<T> type, PayloadListener.With<T, EventEnvelope> listener) {
    PayloadReader<T> reader = PayloadReader.of(this, type);
    return listener(eventType, event -> listener.handle(reader.read(event), event));
  }

  /**
   * Adds a listener that takes the payload as an object, and the event beside it.
   *
   * @param name by which a failed event keeps what became of the listener; unique among the
   *     listeners of the type, and to be kept from release to release
   */
  default <T> B listener(
      String eventType,
      String name,
      Class<T> type,
      PayloadListener.With<T, EventEnvelope> listener) {
    PayloadReader<T> reader = PayloadReader.of(this, type);
    return listener(eventType, name, event -> listener.handle(reader.read(event), event));
  }

  /**
   * Adds a listener that takes the payload as an object, and a connection: what it writes by that
   * commits together with the completion of the event.
   */
  default <T> B transactionalListener(
      String eventType, Class<T> type, PayloadListener.With<T, Connection> listener) {
    PayloadReader<T> reader = PayloadReader.of(this, type);
    TransactionalEventListener adapted =
        (event, connection) -> listener.handle(reader.read(event), connection);
    return transactionalListener(eventType, adapted);
  }

  /**
   * Adds a listener that takes the payload as an object, the event, and a connection: what it
   * writes by that commits together with the completion of the event.
   */
  default <T> B transactionalListener(
      String eventType,
      Class<T> type,
      PayloadListener.WithBoth<T, EventEnvelope, Connection> listener) {
    PayloadReader<T> reader = PayloadReader.of(this, type);
    TransactionalEventListener adapted =
        (event, connection) -> listener.handle(reader.read(event), event, connection);
    return transactionalListener(eventType, adapted);
  }

  /** Adds a transactional listener under a name of its own. */
  default <T> B transactionalListener(
      String eventType,
      String name,
      Class<T> type,
      PayloadListener.WithBoth<T, EventEnvelope, Connection> listener) {
    PayloadReader<T> reader = PayloadReader.of(this, type);
    TransactionalEventListener adapted =
        (event, connection) -> listener.handle(reader.read(event), event, connection);
    return transactionalListener(eventType, name, adapted);
  }

  /** Adds a handler of a topic that takes the payload as an object. */
  default <T> B handler(String topic, Class<T> type, PayloadListener<T> handler) {
    PayloadReader<T> reader = PayloadReader.of(this, type);
    return handler(
        OutboxHandler.of(
            topic, (message, context) -> handler.handle(reader.read(message.envelope()))));
  }

  /** Adds a handler that takes the payload as an object, the message, and the context. */
  default <T> B handler(
      String topic,
      Class<T> type,
      PayloadListener.WithBoth<T, OutboxMessage, HandlerContext> handler) {
    PayloadReader<T> reader = PayloadReader.of(this, type);
    return handler(
        OutboxHandler.of(
            topic,
            (message, context) ->
                handler.handle(reader.read(message.envelope()), message, context)));
  }
}
