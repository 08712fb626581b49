package outbox;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/** How a {@link TransactionalOutboxHandler} ends; it is stored together with its writes. */
public sealed interface HandlerResult {

  /** The message is processed. */
  static HandlerResult done() {
    return Done.INSTANCE;
  }

  /**
   * The message comes again after the delay and counts nothing, yet what was written stays. To give
   * the writes up as well, throw {@link DeferException} instead.
   *
   * @param delay not negative; cut to a year
   */
  static HandlerResult deferred(Duration delay) {
    return new Deferred(delay);
  }

  /** See {@link #done}. */
  record Done() implements HandlerResult {
    private static final Done INSTANCE = new Done();
  }

  /** See {@link #deferred}. */
  record Deferred(Duration delay) implements HandlerResult {
    public Deferred {
      if (requireNonNull(delay, "delay").isNegative()) {
        throw new IllegalArgumentException("delay (" + delay + ") must not be negative");
      }
    }
  }
}
