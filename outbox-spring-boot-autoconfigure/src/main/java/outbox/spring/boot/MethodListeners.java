package outbox.spring.boot;

import java.sql.Connection;
import outbox.HandlerContext;
import outbox.HandlerResult;
import outbox.OutboxHandler;
import outbox.OutboxMessage;
import outbox.TransactionalOutboxHandler;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxHandlers;
import outbox.inbox.InboxMessage;
import outbox.inbox.TransactionalInboxHandler;
import outbox.registry.DefaultListenerRegistry;

/** Registers listener methods in the forms in which the engine calls them. */
final class MethodListeners {
  private MethodListeners() {}

  /** Registers a method for the events of a topic. */
  static void register(
      DefaultListenerRegistry listeners, String topic, String name, ListenerMethod method) {
    if (method.isTransactional()) {
      listeners.registerHandler(name, new TransactionalHandler(topic, method));
    } else {
      listeners.registerHandler(
          name,
          OutboxHandler.of(
              topic, (message, context) -> method.call(Delivered.of(message, context, null))));
    }
  }

  /** Registers a method for all events. */
  static void registerAll(DefaultListenerRegistry listeners, String name, ListenerMethod method) {
    if (method.isTransactional()) {
      listeners.registerTransactional(
          "*", name, (event, connection) -> method.call(Delivered.of(event, connection)));
    } else {
      listeners.registerAll(name, event -> method.call(Delivered.of(event, (Connection) null)));
    }
  }

  /** Registers a method for the messages of a topic of the inbox. */
  static void register(InboxHandlers handlers, String topic, String name, ListenerMethod method) {
    if (method.isTransactional()) {
      handlers.register(name, new TransactionalInbound(topic, method));
    } else {
      handlers.register(
          name,
          InboxHandler.of(
              topic, (message, context) -> method.call(Delivered.of(message, context, null))));
    }
  }

  private record TransactionalHandler(String topic, ListenerMethod method)
      implements TransactionalOutboxHandler {
    @Override
    public HandlerResult handle(
        OutboxMessage message, HandlerContext context, Connection connection) throws Exception {
      return method.call(Delivered.of(message, context, connection));
    }
  }

  private record TransactionalInbound(String topic, ListenerMethod method)
      implements TransactionalInboxHandler {
    @Override
    public HandlerResult handle(InboxMessage message, HandlerContext context, Connection connection)
        throws Exception {
      return method.call(Delivered.of(message, context, connection));
    }
  }
}
