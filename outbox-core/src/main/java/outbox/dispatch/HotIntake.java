package outbox.dispatch;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import outbox.EventEnvelope;
import outbox.dispatch.Delivery.Hold;
import outbox.dispatch.PreparedEvent.Wake;
import outbox.spi.LeasedEventStore.Lease;

/** The way of a published event from its transaction into the hot lane. Thread-safe. */
final class HotIntake implements HotPath {
  private final WorkerRuntime workers;
  private final StoreRuntime runtime;
  private final HotConfirmer confirmer;
  private final HotDrops drops = new HotDrops();

  /**
   * The way into the lanes for events of the store.
   *
   * @param onUnconfirmed runs when there is something to be confirmed
   */
  HotIntake(WorkerRuntime workers, StoreRuntime runtime, Runnable onUnconfirmed) {
    this.workers = workers;
    this.runtime = runtime;
    this.confirmer =
        new HotConfirmer(
            workers.config().getHotQueueCapacity(),
            runtime.store(),
            runtime.connections(),
            runtime.health(),
            this::acceptConfirmed,
            onUnconfirmed);
  }

  HotConfirmer confirmer() {
    return confirmer;
  }

  @Override
  public List<QueuedEvent> prepareHot(Collection<EventEnvelope> published, boolean unconfirmed) {
    List<QueuedEvent> prepared = new ArrayList<>(published.size());
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
  public PreparedEvent prepareHot(EventEnvelope published, boolean unconfirmed) {
    return prepare(published, unconfirmed, 0, 0);
  }

  /** For an event that will go into the hot lane behind so many others of its transaction. */
  private PreparedEvent prepare(
      EventEnvelope published, boolean unconfirmed, int before, long bytesBefore) {
    EventEnvelope event =
        published.withHeaders(workers.propagation().headers(published.eventType()));
    if (event.dueAt() != null && runtime.dueTimes().isLater(event.dueAt())) {
      return PreparedEvent.left(event, Wake.NONE);
    }
    if (runtime.isClosing() || workers.listeners().listenersFor(event.eventType()).isEmpty()) {
      return PreparedEvent.left(event, Wake.OTHER_NODES);
    }
    if (!workers.lanes().hasHotRoom(before + 1, bytesBefore + event.payloadSize())
        || !runtime.completions().hasRoom()) {
      return PreparedEvent.dropped(event);
    }
    Lease lease = new Lease(runtime.processToken(), runtime.lease());
    return PreparedEvent.leased(event, lease, unconfirmed && runtime.isLeasing());
  }

  @Override
  public boolean enqueueHot(QueuedEvent event) {
    if (requireNonNull(event, "event") instanceof PreparedEvent prepared) {
      return acceptPrepared(prepared, prepared.unconfirmed());
    }
    refuseIfClosed();
    return runtime.accept(delivery(event), true);
  }

  @Override
  public boolean confirmHot(QueuedEvent event) {
    if (requireNonNull(event, "event") instanceof PreparedEvent prepared && runtime.isLeasing()) {
      return acceptPrepared(prepared, true);
    }
    runtime.demand().wake(Wake.ALL_NODES);
    return false;
  }

  boolean enqueueCold(QueuedEvent event) {
    refuseIfClosed();
    return runtime.accept(delivery(event), false);
  }

  /** Gives the leases of what the database has not been asked about yet back. */
  void releaseUnconfirmed() {
    List<PreparedEvent> rest = confirmer.drain();
    rest.forEach(event -> runtime.release(leased(event)));
  }

  /** False only for an event that was meant for the hot lane and did not get in. */
  private boolean acceptPrepared(PreparedEvent prepared, boolean unconfirmed) {
    boolean taken;
    if (prepared.lease() == null) {
      runtime.demand().wake(prepared.wake());
      if (prepared.wake() == Wake.NONE) {
        lookAtItsTime(prepared.envelope());
      }
      taken = prepared.source() == QueuedEvent.Source.COLD;
    } else {
      Delivery delivery = leased(prepared);
      taken =
          unconfirmed ? !runtime.isClosing() && offer(prepared) : runtime.accept(delivery, true);
      if (!taken) {
        runtime.release(delivery);
      }
    }
    if (!taken && !runtime.isClosing()) {
      drops.warnOf(prepared);
    }
    return taken;
  }

  /** Races with a shutdown, which may have given back what waits just before. */
  private boolean offer(PreparedEvent prepared) {
    boolean taken = confirmer.offer(prepared);
    if (runtime.isClosing()) {
      releaseUnconfirmed();
    }
    return taken;
  }

  private void lookAtItsTime(EventEnvelope event) {
    Instant dueAt = event.dueAt();
    if (dueAt != null && !workers.listeners().listenersFor(event.eventType()).isEmpty()) {
      runtime.dueTimes().dueAt(dueAt);
    }
  }

  private void acceptConfirmed(PreparedEvent prepared) {
    Delivery delivery = leased(prepared);
    if (!runtime.accept(delivery, true)) {
      runtime.release(delivery);
    }
  }

  /** Created, by the store's clock, when it was prepared: its insert followed. */
  private Delivery leased(PreparedEvent prepared) {
    Lease lease = prepared.lease();
    String owner = lease == null ? null : lease.owner();
    StoreTime time = runtime.time();
    Instant createdAt = time.at(prepared.deadline() - runtime.lease().toNanos());
    return Delivery.of(prepared, new Hold(owner, prepared.deadline()), createdAt).by(time);
  }

  /** Without leases every event of this process counts as held; with them it is claimed first. */
  private Delivery delivery(QueuedEvent event) {
    String owner = runtime.isLeasing() ? null : runtime.processToken();
    return Delivery.of(event, new Hold(owner, runtime.deadlineFrom(System.nanoTime())));
  }

  private void refuseIfClosed() {
    if (runtime.isClosing()) {
      throw new IllegalStateException(
          "the dispatcher is closed; the event stays in the database for another node");
    }
  }
}
