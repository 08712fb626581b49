package outbox.internal.engine.handling;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.EventListener;
import outbox.HandlerResult;
import outbox.OutboxMessage;
import outbox.internal.batch.BatchedListener;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Outcome;
import outbox.internal.engine.delivery.Outcome.Defer;
import outbox.internal.handler.HandlerListener;
import outbox.internal.handler.TransactionalListener;
import outbox.internal.text.LogSettings;
import outbox.internal.text.LogText;
import outbox.spi.Propagation;

/** Calls the listeners of a delivery, each in the form that it declares. */
final class Invocation {
  private static final Logger MESSAGES = System.getLogger("outbox.messages");

  private final Delivery delivery;
  private final DeliveryContext context;
  private final Propagation propagation;

  Invocation(Delivery delivery, Predicate<Delivery> leaseRenewal, Propagation propagation) {
    this.delivery = delivery;
    this.propagation = propagation;
    this.context = new DeliveryContext(delivery, leaseRenewal);
  }

  static boolean isTransactional(EventListener listener) {
    return listener instanceof TransactionalListener
        || (listener instanceof HandlerListener handler && handler.isTransactional())
        || (listener instanceof BatchedListener batched && batched.isTransactional());
  }

  /**
   * Calls a listener.
   *
   * @param connection of the transaction; null if it needs none
   * @return done or deferred
   */
  Outcome call(EventListener listener, @Nullable Connection connection) throws Exception {
    HandlerResult result =
        propagation == Propagation.NONE || listener instanceof BatchedListener
            ? callIt(listener, connection)
            : propagation.around(delivery.envelope(), () -> callIt(listener, connection));
    if (result instanceof HandlerResult.Deferred deferred) {
      return new Defer(deferred.delay());
    }
    if (result instanceof HandlerResult.Done) {
      return Outcome.DONE;
    }
    throw new IllegalStateException("no outcome for " + result.getClass());
  }

  private HandlerResult callIt(EventListener listener, @Nullable Connection connection)
      throws Exception {
    if (listener instanceof HandlerListener handler) {
      return handle(handler, connection);
    }
    if (listener instanceof BatchedListener batched) {
      return BatchContext.ofOne(message(), context).handle(batched, connection);
    }
    if (listener instanceof TransactionalListener transactional) {
      transactional.listener().onEvent(delivery.envelope(), Objects.requireNonNull(connection));
    } else {
      listener.onEvent(delivery.envelope());
    }
    return HandlerResult.done();
  }

  private HandlerResult handle(HandlerListener handler, @Nullable Connection connection)
      throws Exception {
    OutboxMessage message = message();
    logCall(handler, message);
    try {
      return handler.body().handle(message, context, connection);
    } catch (Throwable e) {
      delivery.failedAs(nameOf(handler, message));
      throw e;
    }
  }

  /** The delivery as the work queue would hand it out. */
  OutboxMessage message() {
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
  private static String nameOf(HandlerListener handler, OutboxMessage message) {
    try {
      return handler.nameOf(message);
    } catch (RuntimeException e) {
      return "id=" + message.id();
    }
  }

  private void logCall(HandlerListener handler, OutboxMessage message) {
    Level level = LogSettings.perMessage();
    if (MESSAGES.isLoggable(level)) {
      MESSAGES.log(
          level,
          "handling topic="
              + LogText.of(delivery.eventType())
              + " "
              + nameOf(handler, message)
              + delivery.origin().label());
    }
  }
}
