package outbox.internal.engine.intake;

import java.util.function.Predicate;
import outbox.internal.engine.completion.Completer;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.InFlight;
import outbox.internal.engine.delivery.Origin;
import outbox.internal.engine.delivery.Outcome;
import outbox.internal.engine.delivery.WorkerLog;
import outbox.internal.engine.lanes.Lanes;

/**
 * The door of a store: takes each of its events into a lane once, and gives back or ends what
 * cannot be taken in. Thread-safe.
 */
public final class Admission {
  private final Origin origin;
  private final InFlight inFlight;
  private final Lanes lanes;
  private final Completer completer;
  private final WorkerLog workerLog;
  private final Predicate<String> settledSincePoll;
  private volatile boolean paused;

  /**
   * Open as long as its store.
   *
   * @param settledSincePoll whether the last claim may show an event that has ended since
   */
  public Admission(
      Origin origin,
      InFlight inFlight,
      Lanes lanes,
      Completer completer,
      WorkerLog workerLog,
      Predicate<String> settledSincePoll) {
    this.origin = origin;
    this.inFlight = inFlight;
    this.lanes = lanes;
    this.completer = completer;
    this.workerLog = workerLog;
    this.settledSincePoll = settledSincePoll;
  }

  Origin origin() {
    return origin;
  }

  Lanes lanes() {
    return lanes;
  }

  WorkerLog workerLog() {
    return workerLog;
  }

  boolean isClosing() {
    return origin.isClosing();
  }

  /** Whether published events and due ones stay in the database until a caller runs them. */
  boolean isPaused() {
    return paused;
  }

  /** Leaves published events and due ones in the database, or takes them in again. */
  public void pause(boolean paused) {
    this.paused = paused;
  }

  /** Whether so many more events would find room now, in the hot lane and for their outcomes. */
  boolean hasHotRoom(int events, long bytes) {
    return lanes.hasHotRoom(events, bytes) && completer.hasRoom();
  }

  /** Whether outcomes are stored as fast as they come. */
  boolean hasRoomForOutcomes() {
    return completer.hasRoom();
  }

  /** Queues the event; a duplicate of one in flight counts as accepted. */
  boolean accept(Delivery delivery, boolean hot) {
    if (!inFlight.admit(delivery)) {
      return true;
    }
    if (!isClosing() && (hot ? lanes.offerHot(delivery) : lanes.offerCold(delivery))) {
      return true;
    }
    inFlight.remove(delivery);
    return false;
  }

  /** Takes a claimed event in; one that does not fit after all is given back. */
  public boolean acceptCold(Delivery delivery) {
    if (!inFlight.admit(delivery)) {
      return false;
    }
    // Asked after the admission: an ended event is noted before it leaves the in-flight set.
    if (settledSincePoll.test(delivery.id())) {
      inFlight.remove(delivery);
      workerLog.skippedProcessed(delivery);
      return false;
    }
    if (!isClosing() && lanes.offerCold(delivery)) {
      return true;
    }
    release(delivery);
    return false;
  }

  /** Whether so many started events would find room now. */
  boolean hasRoomForStarted(int events) {
    return lanes.hasHotRoom(events, events * Delivery.BYTES_BESIDE_PAYLOAD) && completer.hasRoom();
  }

  /** Takes an event in whose turn has come; one that does not fit after all is given back. */
  boolean acceptStarted(Delivery delivery) {
    if (accept(delivery, true)) {
      return true;
    }
    release(delivery);
    return false;
  }

  /** Ends a claimed event that cannot be delivered. */
  void kill(Delivery delivery, String reason) {
    completer.submit(delivery, new Outcome.Dead(reason, reason));
  }

  /** Gives back the lease of an event that did not run. */
  public void release(Delivery delivery) {
    completer.submit(delivery, Outcome.RELEASE);
  }
}
