package outbox.internal.engine.intake;

import java.util.function.Consumer;
import outbox.internal.engine.delivery.Origin;
import outbox.internal.engine.health.DatabaseHealth;
import outbox.internal.engine.lease.LeaseTerms;
import outbox.internal.engine.schedule.DueTimes;
import outbox.model.DeadLetter;
import outbox.spi.LeasedEventStore;

/**
 * What the claims of a store share, whichever poller makes them.
 *
 * @param gate lets one claim through at a time
 * @param lag how old the oldest event of a claim was
 * @param onDead told of events that a claim has ended
 * @param sweepKeys asks for a look at all ordering keys
 */
public record ClaimContext(
    LeasedEventStore store,
    LeaseTerms leases,
    DatabaseHealth health,
    Admission admission,
    ClaimGate gate,
    DueTimes dueTimes,
    OldestLag lag,
    Consumer<DeadLetter> onDead,
    Runnable sweepKeys) {

  Origin origin() {
    return admission.origin();
  }

  String label() {
    return origin().label();
  }

  boolean isClosing() {
    return admission.isClosing();
  }

  /** Whether pollers claim nothing by themselves. */
  boolean isResting() {
    return isClosing() || admission.isPaused();
  }

  void recordLag(long millis) {
    lag.record(origin(), millis);
  }
}
