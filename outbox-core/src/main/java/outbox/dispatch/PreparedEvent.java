package outbox.dispatch;

import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.spi.LeasedEventStore.Lease;

/** An event about to be inserted, with the decision how it will reach a worker. */
final class PreparedEvent extends QueuedEvent {
  private final @Nullable Lease lease;
  private final long deadline;
  private final boolean unconfirmed;
  private final Wake wake;

  /** Which pollers the commit wakes if the event does not go through this process's memory. */
  enum Wake {
    NONE,
    OTHER_NODES,
    ALL_NODES
  }

  private PreparedEvent(
      EventEnvelope envelope,
      Source source,
      @Nullable Lease lease,
      long deadline,
      boolean unconfirmed,
      Wake wake) {
    super(envelope, source, 0);
    this.lease = lease;
    this.deadline = deadline;
    this.unconfirmed = unconfirmed;
    this.wake = wake;
  }

  /** Leased from now on; the deadline is taken before the insert is sent, so it never runs late. */
  static PreparedEvent leased(EventEnvelope envelope, Lease lease, boolean unconfirmed) {
    long deadline = System.nanoTime() + lease.duration().toNanos();
    return new PreparedEvent(envelope, Source.HOT, lease, deadline, unconfirmed, Wake.NONE);
  }

  /** The hot lane has no room: the row stays free, and the drop is counted after the commit. */
  static PreparedEvent dropped(EventEnvelope envelope) {
    return new PreparedEvent(envelope, Source.HOT, null, 0, false, Wake.ALL_NODES);
  }

  /** Not for this process's memory: left to whoever claims it. */
  static PreparedEvent left(EventEnvelope envelope, Wake wake) {
    return new PreparedEvent(envelope, Source.COLD, null, 0, false, wake);
  }

  @Override
  public @Nullable Lease lease() {
    return lease;
  }

  long deadline() {
    return deadline;
  }

  /** Whether a rolled back savepoint may have removed the row unnoticed. */
  boolean unconfirmed() {
    return unconfirmed;
  }

  Wake wake() {
    return wake;
  }
}
