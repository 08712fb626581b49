package outbox.inbox;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
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

/**
 * The handlers of an inbox by topic: what a dispatcher on the store of an inbox takes for its
 * listeners. Thread-safe; a registration takes effect for the next message.
 */
public final class InboxHandlers implements ListenerRegistry {
  /** One line for each message, so that it can be silenced alone. */
  private static final Logger MESSAGES = System.getLogger("outbox.messages");

  private static final Logger LOG = System.getLogger(Inbox.class.getName());

  private final DefaultListenerRegistry listeners = new DefaultListenerRegistry();

  public InboxHandlers() {}

  /**
   * Registers a handler for its topic.
   *
   * @throws IllegalArgumentException if its topic is null, empty, too long or the wildcard
   * @throws IllegalStateException if the topic has a handler already
   */
  public InboxHandlers register(InboxHandler handler) {
    @Nullable String given = requireNonNull(handler, "handler").topic();
    String topic = InboxKey.required("topic of " + handler.getClass().getName(), given);
    synchronized (listeners) {
      if (!listeners.listenersFor(topic).isEmpty()) {
        throw new IllegalStateException(
            "topic " + topic + " has a handler already; let one handler call both");
      }
      listeners.register(adapted(handler));
    }
    return this;
  }

  /** The handler in the form in which the engine calls it. */
  public static OutboxHandler adapted(InboxHandler handler) {
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

  private static InboxMessage called(OutboxMessage message) {
    InboxMessage inbound = InboxMessage.of(message);
    if (MESSAGES.isLoggable(Level.INFO)) {
      MESSAGES.log(
          Level.INFO,
          "handling inbound topic={0} source={1} messageId={2} id={3}",
          inbound.topic(),
          inbound.source(),
          inbound.messageId(),
          message.id());
    }
    return inbound;
  }

  /** The dispatcher logs the exception with the id; this ties the id to the sender's. */
  private static void failed(InboxMessage message, OutboxMessage outbox, Exception e) {
    LOG.log(
        Level.ERROR,
        "inbound message failed source={0} messageId={1} id={2} with={3}",
        message.source(),
        message.messageId(),
        outbox.id(),
        e.getClass().getName());
  }

  private record Plain(String topic, InboxHandler handler) implements OutboxHandler {
    @Override
    public void handle(OutboxMessage message, HandlerContext context) throws Exception {
      InboxMessage inbound = called(message);
      try {
        handler.handle(inbound, context);
      } catch (Exception e) {
        failed(inbound, message, e);
        throw e;
      }
    }
  }

  private record Transactional(String topic, TransactionalInboxHandler handler)
      implements TransactionalOutboxHandler {
    @Override
    public HandlerResult handle(
        OutboxMessage message, HandlerContext context, Connection connection) throws Exception {
      InboxMessage inbound = called(message);
      try {
        return handler.handle(inbound, context, connection);
      } catch (Exception e) {
        failed(inbound, message, e);
        throw e;
      }
    }
  }
}
