package outbox.inbox;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventListener;
import outbox.HandlerContext;
import outbox.HandlerResult;
import outbox.OutboxHandler;
import outbox.OutboxMessage;
import outbox.TransactionalOutboxHandler;
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
    Class<?> type = requireNonNull(handler, "handler").getClass();
    boolean lambda = type.isAnonymousClass() || type.isHidden();
    return register(lambda ? NamedListener.UNNAMED_HANDLER : type.getName(), handler);
  }

  /**
   * Registers a handler for its topic under a name by which a failed message shows it; otherwise it
   * is named after its class.
   *
   * @throws IllegalArgumentException if its topic is null, blank, too long or the wildcard
   * @throws IllegalStateException if the topic has a handler already
   */
  public InboxHandlers register(String name, InboxHandler handler) {
    @Nullable String given = requireNonNull(handler, "handler").topic();
    String topic = InboxKey.handled("topic of " + handler.getClass().getName(), given);
    synchronized (listeners) {
      if (!listeners.listenersFor(topic).isEmpty()) {
        throw new IllegalStateException(
            "topic " + topic + " has a handler already; let one handler call both");
      }
      listeners.register(topic, name, adapted(handler));
    }
    return this;
  }

  /** The handler in the form in which the engine calls it. */
  /** Topics with their numbers of handlers. */
  @Override
  public String toString() {
    return listeners.toString();
  }

  private static OutboxHandler adapted(InboxHandler handler) {
    String topic = handler.topic();
    return handler instanceof TransactionalInboxHandler transactional
        ? new Transactional(topic, transactional)
        : new Plain(topic, handler);
  }

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

  private record Plain(String topic, InboxHandler handler) implements OutboxHandler {
    @Override
    public void handle(OutboxMessage message, HandlerContext context) throws Exception {
      handler.handle(InboxMessage.of(message), context);
    }

    @Override
    public String nameOf(OutboxMessage message) {
      return InboxMessage.nameOf(message);
    }
  }

  private record Transactional(String topic, TransactionalInboxHandler handler)
      implements TransactionalOutboxHandler {
    @Override
    public HandlerResult handle(
        OutboxMessage message, HandlerContext context, Connection connection) throws Exception {
      return handler.handle(InboxMessage.of(message), context, connection);
    }

    @Override
    public String nameOf(OutboxMessage message) {
      return InboxMessage.nameOf(message);
    }
  }
}
