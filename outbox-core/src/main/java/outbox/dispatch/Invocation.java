package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.EventListener;
import outbox.HandlerResult;
import outbox.OutboxHandler;
import outbox.OutboxMessage;
import outbox.TransactionalEventListener;
import outbox.TransactionalOutboxHandler;
import outbox.spi.Propagation;
import outbox.util.LogText;

/** One run of the listeners of a delivery, each called in the form that it declares. */
final class Invocation {
  private static final Logger MESSAGES = System.getLogger("outbox.messages");

  private final Delivery delivery;
  private final List<EventListener> listeners;
  private final DeliveryContext context;
  private final Propagation propagation;

  Invocation(
      Delivery delivery,
      List<EventListener> listeners,
      Predicate<Delivery> leaseRenewal,
      Propagation propagation) {
    this.delivery = delivery;
    this.listeners = listeners;
    this.propagation = propagation;
    this.context = new DeliveryContext(delivery, leaseRenewal);
  }

  boolean needsTransaction() {
    return listeners.stream().anyMatch(Invocation::isTransactional);
  }

  private static boolean isTransactional(EventListener listener) {
    return listener instanceof TransactionalEventListener
        || listener instanceof TransactionalOutboxHandler;
  }

  /**
   * Calls the listeners in order, until one defers.
   *
   * @param connection of the transaction; null if none of them needs one
   * @return done or deferred
   */
  Outcome call(@Nullable Connection connection) throws Exception {
    return propagation == Propagation.NONE
        ? callAll(connection)
        : propagation.around(delivery.envelope(), () -> callAll(connection));
  }

  private Outcome callAll(@Nullable Connection connection) throws Exception {
    for (EventListener listener : listeners) {
      HandlerResult result = call(listener, connection);
      if (result instanceof HandlerResult.Deferred deferred) {
        refuseIfEarlierOnesWrote(listener);
        return new Outcome.Defer(deferred.delay());
      }
    }
    return Outcome.DONE;
  }

  private HandlerResult call(EventListener listener, @Nullable Connection connection)
      throws Exception {
    if (listener instanceof OutboxHandler handler) {
      return handle(handler, connection);
    }
    if (listener instanceof TransactionalEventListener transactional) {
      transactional.onEvent(delivery.envelope(), Objects.requireNonNull(connection));
    } else {
      listener.onEvent(delivery.envelope());
    }
    return HandlerResult.done();
  }

  private HandlerResult handle(OutboxHandler handler, @Nullable Connection connection)
      throws Exception {
    OutboxMessage message = message();
    logCall(handler, message);
    try {
      if (handler instanceof TransactionalOutboxHandler transactional) {
        HandlerResult result =
            transactional.handle(message, context, Objects.requireNonNull(connection));
        return Objects.requireNonNull(result, "result of a TransactionalOutboxHandler");
      }
      handler.handle(message, context);
      return HandlerResult.done();
    } catch (Throwable e) {
      delivery.failedAs(nameOf(handler, message));
      throw e;
    }
  }

  /** Their writes would be kept and, when the message comes again, be made a second time. */
  private void refuseIfEarlierOnesWrote(EventListener deferring) {
    List<EventListener> earlier = listeners.subList(0, listeners.indexOf(deferring));
    if (earlier.stream().anyMatch(Invocation::isTransactional)) {
      throw new IllegalStateException(
          "a handler cannot defer and keep its writes behind another transactional listener of"
              + " topic "
              + delivery.eventType()
              + "; throw DeferException, or register it first");
    }
  }

  private OutboxMessage message() {
    Instant lockedUntil = Instant.now().plus(context.leaseRemaining());
    return new OutboxMessage(
        delivery.envelope(),
        delivery.createdAt(),
        delivery.attempts(),
        delivery.lastError(),
        lockedUntil,
        null,
        null);
  }

  /** A handler that fails here must not hide why it failed before. */
  private static String nameOf(OutboxHandler handler, OutboxMessage message) {
    try {
      return handler.nameOf(message);
    } catch (RuntimeException e) {
      return "id=" + message.id();
    }
  }

  private void logCall(OutboxHandler handler, OutboxMessage message) {
    if (MESSAGES.isLoggable(Level.INFO)) {
      MESSAGES.log(
          Level.INFO,
          "handling topic="
              + LogText.of(delivery.eventType())
              + " "
              + nameOf(handler, message)
              + delivery.station().label());
    }
  }
}
