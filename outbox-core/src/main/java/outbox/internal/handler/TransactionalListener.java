package outbox.internal.handler;

import static java.util.Objects.requireNonNull;

import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.TransactionalEventListener;

/**
 * A transactional listener in the place of a listener. The engine calls the listener itself, with a
 * connection; it never calls {@link #onEvent}.
 */
public record TransactionalListener(TransactionalEventListener listener) implements EventListener {
  public TransactionalListener {
    requireNonNull(listener, "listener");
  }

  @Override
  public void onEvent(EventEnvelope event) {
    throw new IllegalStateException(
        "a TransactionalEventListener needs a transaction; build the dispatcher with"
            + " transactions(…)");
  }
}
