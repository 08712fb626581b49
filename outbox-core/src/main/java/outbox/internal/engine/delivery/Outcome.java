package outbox.internal.engine.delivery;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is to become of an event after its delivery, or of one of its listeners. Those of an event
 * that is not done carry what became of its listeners, as {@link outbox.model.ListenerStates#text}
 * writes it; null leaves what the store has.
 */
public sealed interface Outcome {

  /** Handled. */
  record Done() implements Outcome {}

  /** Failed; counts an attempt and is tried again after the delay. */
  record Retry(Duration delay, String error, @Nullable String listeners) implements Outcome {
    public Retry {
      delay = storable(delay);
    }

    public Retry(Duration delay, String error) {
      this(delay, error, null);
    }
  }

  /**
   * Not now; counts nothing.
   *
   * @param leftToOthers this process does not look for it at its time: another node may be able to
   *     handle it, and must have the chance to claim it
   */
  record Defer(Duration delay, boolean leftToOthers, @Nullable String listeners)
      implements Outcome {
    public Defer {
      delay = storable(delay);
    }

    public Defer(Duration delay) {
      this(delay, false);
    }

    public Defer(Duration delay, boolean leftToOthers) {
      this(delay, leftToOthers, null);
    }
  }

  /**
   * Never again. Every path to DEAD is this one.
   *
   * @param reason for the log, and so without anything that a listener's exception says
   * @param error for the store
   */
  record Dead(String reason, String error, @Nullable String listeners) implements Outcome {
    public Dead(String reason, String error) {
      this(reason, error, null);
    }
  }

  Outcome DONE = new Done();

  /** Longer ones leave what some databases can compute or store. */
  Duration LONGEST_DELAY = Duration.ofDays(365);

  /** Gives the lease back at once. */
  Outcome RELEASE = new Defer(Duration.ZERO);

  private static Duration storable(Duration delay) {
    return delay.compareTo(LONGEST_DELAY) < 0 ? delay : LONGEST_DELAY;
  }
}
