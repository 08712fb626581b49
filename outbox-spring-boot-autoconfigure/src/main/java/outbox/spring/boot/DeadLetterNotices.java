package outbox.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEventPublisher;
import outbox.DeadLetterListener;
import outbox.model.DeadLetter;

/**
 * Tells of dead letters: all listeners among the beans, and those of application events. Asks for
 * the beans late, because they may want the outbox.
 */
record DeadLetterNotices(
    ObjectProvider<DeadLetterListener> listeners, ApplicationEventPublisher events) {

  DeadLetterListener of(String queue) {
    return (store, letter) -> tell(queue, store, letter);
  }

  /** One that fails does not keep the others from hearing of it; the engine logs its failure. */
  private void tell(String queue, String store, DeadLetter letter) {
    @Nullable RuntimeException failure = null;
    for (DeadLetterListener each : listeners.orderedStream().toList()) {
      try {
        each.onDead(store, letter);
      } catch (RuntimeException e) {
        failure = joined(failure, e);
      }
    }
    try {
      events.publishEvent(new DeadLetterEvent(queue, letter));
    } catch (RuntimeException e) {
      failure = joined(failure, e);
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static RuntimeException joined(@Nullable RuntimeException first, RuntimeException next) {
    if (first == null) {
      return next;
    }
    first.addSuppressed(next);
    return first;
  }
}
