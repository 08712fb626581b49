package outbox.dispatch;

import java.time.Instant;
import java.util.List;
import outbox.EventEnvelope;
import outbox.dispatch.Delivery.Hold;
import outbox.dispatch.PreparedEvent.Wake;
import outbox.spi.LeasedEventStore.Lease;

/** The way of a published event from its transaction into the hot lane. Thread-safe. */
final class HotIntake {
  private final Crew crew;
  private final Station station;
  private final HotConfirmer confirmer;
  private final HotDrops drops = new HotDrops();

  HotIntake(Crew crew, Station station) {
    this.crew = crew;
    this.station = station;
    this.confirmer =
        new HotConfirmer(
            crew.config().getHotQueueCapacity(),
            station.store(),
            station.connections(),
            station.outage(),
            this::acceptConfirmed);
  }

  HotConfirmer confirmer() {
    return confirmer;
  }

  /** Decides, before the insert, how the event will reach a worker. */
  PreparedEvent prepare(EventEnvelope published, boolean unconfirmed) {
    EventEnvelope event = published.withHeaders(crew.propagation().headers(published.eventType()));
    if (event.dueAt() != null && station.dueTimes().isLater(event.dueAt())) {
      return PreparedEvent.left(event, Wake.NONE);
    }
    if (station.isClosing() || crew.listeners().listenersFor(event.eventType()).isEmpty()) {
      return PreparedEvent.left(event, Wake.OTHER_NODES);
    }
    if (!crew.lanes().hasHotRoom(event.payloadSize())) {
      return PreparedEvent.dropped(event);
    }
    Lease lease = new Lease(station.processToken(), station.lease());
    return PreparedEvent.leased(event, lease, unconfirmed && station.isLeasing());
  }

  boolean enqueueHot(QueuedEvent event) {
    if (event instanceof PreparedEvent prepared) {
      return acceptPrepared(prepared, prepared.unconfirmed());
    }
    refuseIfClosed();
    return station.accept(delivery(event), true);
  }

  /** As {@link #enqueueHot}, but only if the database shows the event. */
  boolean confirmHot(QueuedEvent event) {
    if (event instanceof PreparedEvent prepared && station.isLeasing()) {
      return acceptPrepared(prepared, true);
    }
    station.demand().wake(Wake.ALL_NODES);
    return false;
  }

  boolean enqueueCold(QueuedEvent event) {
    refuseIfClosed();
    return station.accept(delivery(event), false);
  }

  /** Gives the leases of what the database has not been asked about yet back. */
  void releaseUnconfirmed() {
    List<PreparedEvent> rest = confirmer.drain();
    rest.forEach(event -> station.release(leased(event)));
  }

  /** False only for an event that was meant for the hot lane and did not get in. */
  private boolean acceptPrepared(PreparedEvent prepared, boolean unconfirmed) {
    boolean taken;
    if (prepared.lease() == null) {
      station.demand().wake(prepared.wake());
      if (prepared.wake() == Wake.NONE) {
        lookAtItsTime(prepared.envelope());
      }
      taken = prepared.source() == QueuedEvent.Source.COLD;
    } else {
      Delivery delivery = leased(prepared);
      taken =
          unconfirmed
              ? !station.isClosing() && confirmer.offer(prepared)
              : station.accept(delivery, true);
      if (!taken) {
        station.release(delivery);
      }
    }
    if (!taken && !station.isClosing()) {
      drops.warnOf(prepared);
    }
    return taken;
  }

  private void lookAtItsTime(EventEnvelope event) {
    Instant dueAt = event.dueAt();
    if (dueAt != null && !crew.listeners().listenersFor(event.eventType()).isEmpty()) {
      station.dueTimes().dueAt(dueAt);
    }
  }

  private void acceptConfirmed(PreparedEvent prepared) {
    Delivery delivery = leased(prepared);
    if (!station.accept(delivery, true)) {
      station.release(delivery);
    }
  }

  /** Created, by the store's clock, when it was prepared: its insert followed. */
  private Delivery leased(PreparedEvent prepared) {
    Lease lease = prepared.lease();
    String owner = lease == null ? null : lease.owner();
    StoreTime time = station.time();
    Instant createdAt = time.at(prepared.deadline() - station.lease().toNanos());
    return Delivery.of(prepared, new Hold(owner, prepared.deadline()), createdAt).by(time);
  }

  /** Without leases every event of this process counts as held; with them it is claimed first. */
  private Delivery delivery(QueuedEvent event) {
    String owner = station.isLeasing() ? null : station.processToken();
    return Delivery.of(event, new Hold(owner, station.deadlineFrom(System.nanoTime())));
  }

  private void refuseIfClosed() {
    if (station.isClosing()) {
      throw new IllegalStateException(
          "the dispatcher is closed; the event stays in the database for another node");
    }
  }
}
