package outbox.spring.boot;

import java.sql.Connection;
import outbox.EventListener;
import outbox.HandlerContext;
import outbox.HandlerResult;
import outbox.OutboxHandler;
import outbox.OutboxMessage;
import outbox.TransactionalEventListener;
import outbox.TransactionalOutboxHandler;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxMessage;
import outbox.inbox.TransactionalInboxHandler;

/** Listener methods in the forms in which the engine calls them. */
final class MethodListeners {
  private MethodListeners() {}

  static OutboxHandler handler(String topic, ListenerMethod method) {
    return method.isTransactional()
        ? new TransactionalHandler(topic, method)
        : OutboxHandler.of(
            topic, (message, context) -> method.call(Delivered.of(message, context, null)));
  }

  static EventListener listenerOfAll(ListenerMethod method) {
    if (method.isTransactional()) {
      TransactionalEventListener listener =
          (event, connection) -> method.call(Delivered.of(event, connection));
      return listener;
    }
    return event -> method.call(Delivered.of(event, (Connection) null));
  }

  static InboxHandler inboxHandler(String topic, ListenerMethod method) {
    return method.isTransactional()
        ? new TransactionalInbound(topic, method)
        : InboxHandler.of(
            topic, (message, context) -> method.call(Delivered.of(message, context, null)));
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
