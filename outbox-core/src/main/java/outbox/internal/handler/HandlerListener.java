package outbox.internal.handler;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.HandlerContext;
import outbox.HandlerResult;
import outbox.OutboxHandler;
import outbox.OutboxMessage;
import outbox.TransactionalOutboxHandler;

/**
 * A handler in the place of a listener. The engine calls its body, with the message and a context;
 * it never calls {@link #onEvent}.
 */
public final class HandlerListener implements EventListener {
  private final Object named;
  private final boolean transactional;
  private final Function<OutboxMessage, String> nameOf;
  private final Body body;

  /** What the engine calls. */
  @FunctionalInterface
  public interface Body {
    /**
     * Handles a message.
     *
     * @param connection of the transaction; null unless the handler is transactional
     */
    HandlerResult handle(
        OutboxMessage message, HandlerContext context, @Nullable Connection connection)
        throws Exception;
  }

  /**
   * A handler of any kind.
   *
   * @param named what the application registered, by whose class the handler is named
   * @param nameOf names a message in the log lines about this handler
   */
  public HandlerListener(
      Object named, boolean transactional, Function<OutboxMessage, String> nameOf, Body body) {
    this.named = requireNonNull(named, "named");
    this.transactional = transactional;
    this.nameOf = requireNonNull(nameOf, "nameOf");
    this.body = requireNonNull(body, "body");
  }

  public static HandlerListener of(OutboxHandler handler) {
    requireNonNull(handler, "handler");
    return new HandlerListener(
        handler,
        false,
        HandlerListener::id,
        (message, context, none) -> {
          handler.handle(message, context);
          return HandlerResult.done();
        });
  }

  public static HandlerListener of(TransactionalOutboxHandler handler) {
    requireNonNull(handler, "handler");
    return new HandlerListener(
        handler,
        true,
        HandlerListener::id,
        (message, context, connection) ->
            requireNonNull(
                handler.handle(message, context, requireNonNull(connection, "connection")),
                "result of a TransactionalOutboxHandler"));
  }

  private static String id(OutboxMessage message) {
    return "id=" + message.id();
  }

  /** What the application registered, by whose class the handler is named. */
  public Object named() {
    return named;
  }

  public boolean isTransactional() {
    return transactional;
  }

  /** Whether the messages of its topic are the library's own, such as the waits of joins. */
  public boolean isInternal() {
    return named instanceof InternalHandler;
  }

  /** Names a message in the log lines about this handler. */
  public String nameOf(OutboxMessage message) {
    return nameOf.apply(message);
  }

  public Body body() {
    return body;
  }

  @Override
  public void onEvent(EventEnvelope event) {
    throw new IllegalStateException("a handler is called by the dispatcher, with a context");
  }
}
