package outbox.internal.engine.intake;

import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.engine.schedule.Wake;
import outbox.spi.HotPath;
import outbox.spi.LeasedEventStore.Lease;

/**
 * An event about to be inserted, with the decision how it will reach a worker.
 *
 * @param deadline when its lease ends, as {@link System#nanoTime} counts
 * @param unconfirmed whether a rolled back savepoint may have removed the row unnoticed
 * @param wake which pollers the commit wakes if the event is not leased
 * @param isBehind whether it waits for an earlier event of its ordering key
 */
public record PreparedEvent(
    EventEnvelope envelope,
    boolean isForMemory,
    @Nullable Lease lease,
    long deadline,
    boolean unconfirmed,
    Wake wake,
    boolean isBehind)
    implements HotPath.Prepared {

  /** Leased from now on; the deadline is taken before the insert is sent, so it never runs late. */
  static PreparedEvent leased(EventEnvelope envelope, Lease lease, boolean unconfirmed) {
    long deadline = System.nanoTime() + lease.duration().toNanos();
    return new PreparedEvent(envelope, true, lease, deadline, unconfirmed, Wake.NONE, false);
  }

  /** The hot lane has no room: the row stays free, and the drop is counted after the commit. */
  static PreparedEvent dropped(EventEnvelope envelope) {
    return new PreparedEvent(envelope, true, null, 0, false, Wake.ALL_NODES, false);
  }

  /** Not for this process's memory: left to the poller that claims it. */
  static PreparedEvent left(EventEnvelope envelope, Wake wake) {
    return new PreparedEvent(envelope, false, null, 0, false, wake, false);
  }

  /** As the store has placed it: not leased, and for the memory of the node that starts it. */
  PreparedEvent behind() {
    return new PreparedEvent(envelope, false, null, 0, false, Wake.NONE, true);
  }
}
