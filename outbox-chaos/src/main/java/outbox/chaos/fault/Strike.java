package outbox.chaos.fault;

import java.time.Duration;
import outbox.chaos.clock.SteadyClock;

/** One fault: what was done to whom, from when to when. Thread-safe. */
public final class Strike {
  /** The target of what is done to all nodes. */
  public static final String DATABASE = "database";

  private final FaultKind kind;
  private final String target;
  private final long from;
  private volatile long to = Long.MAX_VALUE;

  /**
   * A fault that is not over yet.
   *
   * @param target a node, or {@link #DATABASE}
   * @param from milliseconds of the {@link SteadyClock}
   */
  public Strike(FaultKind kind, String target, long from) {
    this.kind = kind;
    this.target = target;
    this.from = from;
  }

  public FaultKind kind() {
    return kind;
  }

  public long from() {
    return from;
  }

  /** Says that the target is itself again. */
  public void over() {
    to = SteadyClock.millis();
  }

  /** Says that the target will be itself again after this time. */
  public void overAfter(Duration howLong) {
    to = from + howLong.toMillis();
  }

  /** Whether it could disturb what this node did between these times. */
  public boolean touches(String node, long begin, long end) {
    return (target.equals(DATABASE) || target.equals(node)) && from <= end && to >= begin;
  }

  @Override
  public String toString() {
    long end = to;
    return kind.label()
        + " of "
        + target
        + " at "
        + from
        + (end == Long.MAX_VALUE ? ", still going on" : " for " + (end - from) + " ms");
  }
}
