package outbox.internal.engine.intake;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import outbox.EventEnvelope;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Delivery.Hold;
import outbox.internal.engine.delivery.StoreTime;
import outbox.internal.engine.lease.LeaseTerms;
import outbox.internal.engine.schedule.DueTimes;
import outbox.internal.engine.schedule.Wake;
import outbox.internal.engine.schedule.Wakeups;
import outbox.registry.ListenerRegistry;
import outbox.spi.HotPath;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.Propagation;

/** The way of a published event from its transaction into the hot lane. Thread-safe. */
public final class HotIntake implements HotPath {
  private final Admission admission;
  private final LeaseTerms leases;
  private final Wakeups wakeups;
  private final DueTimes dueTimes;
  private final ListenerRegistry listeners;
  private final Propagation propagation;
  private final HotConfirmer confirmer;
  private final KeyQueue keys;
  private final HotDrops drops = new HotDrops();

  /**
   * The way into the lanes for events of a store.
   *
   * @param confirmer makes the confirmer, which is told what to do with events that are there
   * @param keys told of events that are behind others
   */
  public HotIntake(
      Admission admission,
      LeaseTerms leases,
      Wakeups wakeups,
      DueTimes dueTimes,
      ListenerRegistry listeners,
      Propagation propagation,
      Function<Consumer<PreparedEvent>, HotConfirmer> confirmer,
      KeyQueue keys) {
    this.admission = admission;
    this.leases = leases;
    this.wakeups = wakeups;
    this.dueTimes = dueTimes;
    this.listeners = listeners;
    this.propagation = propagation;
    this.confirmer = confirmer.apply(this::acceptConfirmed);
    this.keys = keys;
  }

  public HotConfirmer confirmer() {
    return confirmer;
  }

  @Override
  public List<Prepared> prepareHot(Collection<EventEnvelope> published, boolean unconfirmed) {
    List<Prepared> prepared = new ArrayList<>(published.size());
    int events = 0;
    long bytes = 0;
    for (EventEnvelope event : published) {
      PreparedEvent next = prepare(event, unconfirmed, events, bytes);
      if (next.lease() != null) {
        events++;
        bytes += next.envelope().payloadSize();
      }
      prepared.add(next);
    }
    return prepared;
  }

  @Override
  public Prepared prepareHot(EventEnvelope published, boolean unconfirmed) {
    return prepare(published, unconfirmed, 0, 0);
  }

  /** For an event that will go into the hot lane behind so many others of its transaction. */
  private PreparedEvent prepare(
      EventEnvelope published, boolean unconfirmed, int before, long bytesBefore) {
    EventEnvelope event = published.withHeaders(propagation.headers(published.eventType()));
    if (event.dueAt() != null && dueTimes.isLater(event.dueAt())) {
      return PreparedEvent.left(event, Wake.NONE);
    }
    if (admission.isClosing()
        || admission.isPaused()
        || listeners.listenersFor(event.eventType()).isEmpty()) {
      return PreparedEvent.left(event, Wake.OTHER_NODES);
    }
    if (!admission.hasHotRoom(before + 1, bytesBefore + event.payloadSize())) {
      return PreparedEvent.dropped(event);
    }
    Lease lease = new Lease(leases.processToken(), leases.duration());
    return PreparedEvent.leased(event, lease, unconfirmed && leases.leasing());
  }

  @Override
  public Prepared behind(Prepared event) {
    return prepared(event).behind();
  }

  @Override
  public boolean enqueueHot(Prepared event) {
    PreparedEvent prepared = prepared(event);
    return acceptPrepared(prepared, prepared.unconfirmed());
  }

  @Override
  public boolean confirmHot(Prepared event) {
    PreparedEvent prepared = prepared(event);
    if (leases.leasing() || prepared.isBehind()) {
      return acceptPrepared(prepared, true);
    }
    wakeups.now(Wake.ALL_NODES);
    return false;
  }

  private static PreparedEvent prepared(Prepared event) {
    if (requireNonNull(event, "event") instanceof PreparedEvent prepared) {
      return prepared;
    }
    throw new IllegalArgumentException(
        "event (" + event.getClass().getName() + ") must be a result of prepareHot");
  }

  /**
   * Takes an event in that an application has queued.
   *
   * @return false if there was no room
   * @throws IllegalStateException if nothing is taken in any more
   */
  public boolean enqueue(EventEnvelope event, int attempts, boolean hot) {
    if (admission.isClosing()) {
      throw new IllegalStateException(
          "the dispatcher is closed; the event stays in the database for another node");
    }
    // Without leases every event of this process counts as held; with them it is claimed first.
    String owner = leases.leasing() ? null : leases.processToken();
    Hold hold = new Hold(owner, leases.deadlineFrom(System.nanoTime()));
    return admission.accept(Delivery.queued(admission.origin(), event, attempts, hold), hot);
  }

  /** Gives back the leases of what the database has not been asked about yet. */
  public void releaseUnconfirmed() {
    List<PreparedEvent> rest = confirmer.drain();
    rest.forEach(event -> admission.release(leased(event)));
  }

  /** False only for an event that was meant for the hot lane and did not get in. */
  private boolean acceptPrepared(PreparedEvent prepared, boolean unconfirmed) {
    if (prepared.isBehind()) {
      keys.published(requireNonNull(prepared.envelope().orderingKey()));
      return true;
    }
    boolean taken;
    if (prepared.lease() == null) {
      wakeups.now(prepared.wake());
      if (prepared.wake() == Wake.NONE) {
        lookAtItsTime(prepared.envelope());
      }
      taken = !prepared.isForMemory();
    } else {
      Delivery delivery = leased(prepared);
      taken =
          unconfirmed
              ? !admission.isClosing() && offer(prepared)
              : admission.accept(delivery, true);
      if (!taken) {
        admission.release(delivery);
      }
    }
    if (!taken && !admission.isClosing()) {
      drops.warnOf(prepared.envelope());
    }
    return taken;
  }

  /** Races with a shutdown, which may have given back what waits just before. */
  private boolean offer(PreparedEvent prepared) {
    boolean taken = confirmer.offer(prepared);
    if (admission.isClosing()) {
      releaseUnconfirmed();
    }
    return taken;
  }

  private void lookAtItsTime(EventEnvelope event) {
    Instant dueAt = event.dueAt();
    if (dueAt != null && !listeners.listenersFor(event.eventType()).isEmpty()) {
      wakeups.dueAt(dueAt);
    }
  }

  private void acceptConfirmed(PreparedEvent prepared) {
    Delivery delivery = leased(prepared);
    if (!admission.accept(delivery, true)) {
      admission.release(delivery);
    }
  }

  /** Created, by the store's clock, when it was prepared: its insert followed. */
  private Delivery leased(PreparedEvent prepared) {
    Lease lease = prepared.lease();
    Hold hold = new Hold(lease == null ? null : lease.owner(), prepared.deadline());
    StoreTime time = dueTimes.time();
    Instant createdAt = time.at(prepared.deadline() - leases.duration().toNanos());
    return Delivery.published(admission.origin(), prepared.envelope(), hold, createdAt, time);
  }
}
