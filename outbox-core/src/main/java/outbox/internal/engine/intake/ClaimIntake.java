package outbox.internal.engine.intake;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Predicate;
import outbox.EventEnvelope;
import outbox.internal.engine.common.FailureTrace;
import outbox.internal.engine.common.LoggerNames;
import outbox.internal.engine.completion.DeliveryResults;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Delivery.Hold;
import outbox.internal.engine.delivery.StoreTime;
import outbox.internal.text.LogText;
import outbox.model.DeadLetter;
import outbox.model.ListenerStates;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.Claimed;
import outbox.spi.LeasedEventStore.ClaimedEvent;
import outbox.spi.MetricsExporter;
import outbox.spi.OrderedEvents.Advance;

/** Takes what was claimed into the cold lane. Used by one claimer. */
final class ClaimIntake {
  private static final Logger LOG = System.getLogger(LoggerNames.POLLER);

  private final ClaimContext context;
  private final MetricsExporter metrics;

  /**
   * What came of a claim.
   *
   * @param events how many were put into the cold lane
   * @param bytes how large all that were claimed are at the most
   */
  record Taken(int events, long bytes) {}

  ClaimIntake(ClaimContext context, MetricsExporter metrics) {
    this.context = context;
    this.metrics = metrics;
  }

  /**
   * Takes in as many as possible.
   *
   * @param before when the claim was sent
   */
  Taken take(Claimed claimed, Hold hold, long before) {
    int taken = 0;
    long bytes = 0;
    for (ClaimedEvent event : claimed.events()) {
      bytes += largestSize(event.event());
      taken += acceptOrLeave(event, hold, before, context.admission()::acceptCold) ? 1 : 0;
    }
    claimed.ended().forEach(this::expired);
    context.admission().workerLog().fetched(taken, context.label());
    if (LOG.isLoggable(Level.DEBUG)) {
      LOG.log(
          Level.DEBUG,
          "claimed count={0} expired={1}{2}",
          taken,
          claimed.expired(),
          context.label());
    }
    recordLag(claimed, before);
    return new Taken(taken, bytes);
  }

  /**
   * Takes in the events whose turn has come in the order of their keys.
   *
   * @param before when the advance was sent
   */
  void start(Advance advance, Hold hold, long before) {
    for (ClaimedEvent event : advance.events()) {
      boolean followed = advance.followed().contains(event.event().eventId());
      acceptOrLeave(
          event,
          hold,
          before,
          delivery -> {
            if (followed) {
              delivery.followed();
            }
            return context.admission().acceptStarted(delivery);
          });
    }
    advance.ended().forEach(this::expired);
  }

  /** The store has ended it, and counted an attempt. */
  private void expired(OutboxEvent event) {
    metrics.incrementDispatchDead();
    context.admission().workerLog().died();
    DeliveryResults.logDeath(
        Delivery.text(
            "id=" + LogText.of(event.eventId()),
            event.eventType(),
            event.attempts(),
            context.label()),
        LeasedEventStore.EXPIRED);
    context
        .onDead()
        .accept(
            new DeadLetter(
                event.withoutPayload(),
                Instant.now(),
                LeasedEventStore.EXPIRED,
                ListenerStates.NONE,
                0,
                null,
                null));
  }

  /** Of text only the characters are known; each is three bytes at the most, as UTF-8 counts. */
  private static long largestSize(OutboxEvent event) {
    byte[] binary = event.payloadBytes();
    String text = event.payloadJson();
    return (binary == null ? 0 : binary.length) + (text == null ? 0 : 3L * text.length());
  }

  /** One event that cannot be taken in is left to its lease, and holds up no other one. */
  private boolean acceptOrLeave(
      ClaimedEvent claimed, Hold hold, long before, Predicate<Delivery> lane) {
    try {
      return accept(claimed, hold, before, lane);
    } catch (RuntimeException e) {
      LOG.log(
          Level.ERROR,
          "claimed event not taken in, its lease expires event="
              + LogText.of(claimed.event().toString())
              + context.label(),
          FailureTrace.of(e));
      return false;
    }
  }

  /**
   * Returns false if the event was in flight already, as a store without leases may show it again.
   */
  private boolean accept(ClaimedEvent claimed, Hold hold, long before, Predicate<Delivery> lane) {
    OutboxEvent event = claimed.event();
    EventEnvelope envelope;
    try {
      envelope = EventEnvelope.of(event);
    } catch (RuntimeException e) {
      LOG.log(
          Level.ERROR,
          "undecodable event={0} cause={1}{2}",
          LogText.of(event.toString()),
          LogText.of(String.valueOf(e.getMessage())),
          context.label());
      context
          .admission()
          .kill(
              Delivery.undecodable(context.origin(), event, hold),
              "undecodable: " + e.getMessage());
      return true;
    }
    StoreTime time = StoreTime.of(claimed, context.leases().duration(), before);
    context.dueTimes().sees(time);
    Delivery delivery = Delivery.claimed(context.origin(), envelope, claimed, hold, time);
    boolean accepted = lane.test(delivery);
    if (accepted && !delivery.isInternal()) {
      metrics.incrementColdEnqueued();
    }
    return accepted;
  }

  /** By the store's clock, which has dated the events. */
  private void recordLag(Claimed claimed, long before) {
    long lag = 0;
    for (ClaimedEvent claim : claimed.events()) {
      OutboxEvent event = claim.event();
      if (!context.origin().isInternal(event.eventType())) {
        Instant now = StoreTime.of(claim, context.leases().duration(), before).now();
        Instant since = StoreTime.waitsSince(event.createdAt(), event.dueAt());
        lag = Math.max(lag, Duration.between(since, now).toMillis());
      }
    }
    context.recordLag(lag);
  }
}
