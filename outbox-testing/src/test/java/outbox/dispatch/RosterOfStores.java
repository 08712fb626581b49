package outbox.dispatch;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.dispatch.Delivery.Hold;
import outbox.dispatch.Duty.Kind;
import outbox.dispatch.QueuedEvent.Source;
import outbox.registry.DefaultListenerRegistry;
import outbox.routing.OutboxStore;
import outbox.routing.RoundRobinOutboxSelectionStrategy;
import outbox.spi.MetricsExporter;
import outbox.spi.StoreException;
import outbox.testing.InMemoryEventStore;

/** A roster, and stores in memory that are served by it. */
abstract class RosterOfStores {
  static final int PERMITS = 16;
  static final int PROBES = 2;
  static final int LOOKS = 4;
  static final Duration LOOK_PERIOD = Duration.ofMinutes(1);

  final OutboxConfig config = new OutboxConfig().setColdQueueCapacity(120);
  final Crew crew =
      new Crew(
          config,
          new DefaultListenerRegistry(),
          new TopicRetries(config, null, Map.of()),
          MetricsExporter.NOOP,
          Brake.NONE);
  final DutyRoster roster =
      new DutyRoster(
          new DutyQueues(
              PERMITS,
              new ClaimQueue(new RoundRobinOutboxSelectionStrategy()),
              new ColdRoom(crew.lanes(), 10, 120),
              LOOK_PERIOD));

  Duty take() throws InterruptedException {
    return Objects.requireNonNull(roster.take());
  }

  static void fail(Berth berth) {
    berth
        .station()
        .outage()
        .failed("test", new StoreException("down", new SQLException("connection refused")));
  }

  List<Berth> berths(int count) {
    List<Berth> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(berth("store-" + i));
    }
    return all;
  }

  Berth berth(String name) {
    return berth(name, new InMemoryEventStore());
  }

  Berth berth(String name, InMemoryEventStore events) {
    StationParts parts =
        new StationParts(
            name,
            events.connections(),
            events,
            true,
            new OwnerTokens("me"),
            new DefaultInFlightTracker(),
            null,
            null);
    OutboxStore store = OutboxStore.builder(name, events.connections(), events).build();
    Berth berth = new Berth(crew, parts, store, roster, true);
    roster.register(berth);
    return berth;
  }

  static Delivery delivery() {
    QueuedEvent event = new QueuedEvent(EventEnvelope.ofJson("Any", "{}"), Source.COLD, 0);
    return Delivery.of(event, new Hold("me", 0));
  }

  static Duty duty(Berth berth, Kind kind) {
    return new Duty(berth.station(), kind, share -> null);
  }
}
