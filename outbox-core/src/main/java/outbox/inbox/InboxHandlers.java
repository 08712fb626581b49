package outbox.inbox;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.Batches;
import outbox.EventListener;
import outbox.HandlerResult;
import outbox.internal.batch.BatchedListener;
import outbox.internal.handler.HandlerListener;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;
import outbox.registry.NamedListener;

/**
 * The handlers of an inbox by topic: what a dispatcher on the store of an inbox takes for its
 * listeners. Thread-safe; a registration takes effect for the next message.
 */
public final class InboxHandlers implements ListenerRegistry {
  private final DefaultListenerRegistry listeners = new DefaultListenerRegistry();

  public InboxHandlers() {}

  /**
   * Registers a handler for its topic.
   *
   * @throws IllegalArgumentException if its topic is null, blank, too long or the wildcard
   * @throws IllegalStateException if the topic has a handler already
   */
  public InboxHandlers register(InboxHandler handler) {
    return register(nameOf(handler), handler);
  }

  /**
   * Registers a handler for its topic under a name by which a failed message shows it; otherwise it
   * is named after its class.
   *
   * @throws IllegalArgumentException if its topic is null, blank, too long or the wildcard
   * @throws IllegalStateException if the topic has a handler already
   */
  public InboxHandlers register(String name, InboxHandler handler) {
    requireNonNull(handler, "handler");
    HandlerListener adapted =
        new HandlerListener(
            handler,
            false,
            InboxMessage::nameOf,
            (message, context, none) -> {
              handler.handle(InboxMessage.of(message), context);
              return HandlerResult.done();
            });
    return register(name, handler.topic(), adapted);
  }

  /**
   * Registers a handler for its topic that works in the transaction which completes the message.
   *
   * @throws IllegalArgumentException if its topic is null, blank, too long or the wildcard
   * @throws IllegalStateException if the topic has a handler already
   */
  public InboxHandlers register(TransactionalInboxHandler handler) {
    return register(nameOf(handler), handler);
  }

  /**
   * Registers a transactional handler for its topic under a name by which a failed message shows
   * it; otherwise it is named after its class.
   *
   * @throws IllegalArgumentException if its topic is null, blank, too long or the wildcard
   * @throws IllegalStateException if the topic has a handler already
   */
  public InboxHandlers register(String name, TransactionalInboxHandler handler) {
    requireNonNull(handler, "handler");
    HandlerListener adapted =
        new HandlerListener(
            handler,
            true,
            InboxMessage::nameOf,
            (message, context, connection) ->
                requireNonNull(
                    handler.handle(InboxMessage.of(message), context, requireNonNull(connection)),
                    "result of a TransactionalInboxHandler"));
    return register(name, handler.topic(), adapted);
  }

  /**
   * Registers a handler that gets the messages of a topic in batches.
   *
   * @throws IllegalArgumentException if the topic is blank, too long or the wildcard
   * @throws IllegalStateException if the topic has a handler already
   */
  public InboxHandlers registerBatch(String topic, Batches batches, InboxBatchHandler handler) {
    return registerBatch(
        topic,
        handler,
        BatchedListener.of(
            batches,
            requireNonNull(handler, "handler"),
            (batch, none) -> handler.handle(new MessagesOfBatch(batch))));
  }

  /**
   * Registers a batch handler whose writes commit with the completion of all its messages.
   *
   * @throws IllegalArgumentException if the topic is blank, too long or the wildcard
   * @throws IllegalStateException if the topic has a handler already
   */
  public InboxHandlers registerTransactionalBatch(
      String topic, Batches batches, TransactionalInboxBatchHandler handler) {
    return registerBatch(
        topic,
        handler,
        BatchedListener.ofTransactional(
            batches,
            requireNonNull(handler, "handler"),
            (batch, connection) ->
                handler.handle(
                    new MessagesOfBatch(batch), requireNonNull(connection, "connection"))));
  }

  private InboxHandlers registerBatch(String topic, Object handler, BatchedListener listener) {
    return add(InboxKey.handled("topic", topic), nameOf(handler), listener);
  }

  private InboxHandlers register(String name, @Nullable String given, HandlerListener handler) {
    String topic = InboxKey.handled("topic of " + handler.named().getClass().getName(), given);
    return add(topic, name, handler);
  }

  private InboxHandlers add(String topic, String name, EventListener listener) {
    synchronized (listeners) {
      if (!listeners.listenersFor(topic).isEmpty()) {
        throw new IllegalStateException(
            "topic " + topic + " has a handler already; let one handler call both");
      }
      listeners.register(topic, name, listener);
    }
    return this;
  }

  private static String nameOf(Object handler) {
    Class<?> type = requireNonNull(handler, "handler").getClass();
    boolean lambda = type.isAnonymousClass() || type.isHidden();
    return lambda ? NamedListener.UNNAMED_HANDLER : type.getName();
  }

  /** Topics with their numbers of handlers. */
  @Override
  public String toString() {
    return listeners.toString();
  }

  /** Returns whether no handler is registered. */
  public boolean isEmpty() {
    return listeners.isEmpty();
  }

  @Override
  public List<EventListener> listenersFor(String eventType) {
    return listeners.listenersFor(eventType);
  }

  @Override
  public List<NamedListener> namedListenersFor(String eventType) {
    return listeners.namedListenersFor(eventType);
  }
}
