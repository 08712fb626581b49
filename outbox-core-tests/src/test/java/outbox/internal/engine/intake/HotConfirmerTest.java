package outbox.internal.engine.intake;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.internal.engine.health.DatabaseHealth;
import outbox.internal.engine.health.EngineConnections;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.MetricsExporter;
import outbox.testing.memory.InMemoryEventStore;

class HotConfirmerTest {
  private static final Lease LEASE = new Lease("me", Duration.ofMinutes(1));

  private final InMemoryEventStore store = new InMemoryEventStore();
  private final AtomicInteger refusals = new AtomicInteger();
  private final AtomicInteger ready = new AtomicInteger();
  private final AtomicInteger selects = new AtomicInteger();
  private final DatabaseHealth health = new DatabaseHealth("", MetricsExporter.NOOP);
  private final List<PreparedEvent> confirmed = new ArrayList<>();
  private final HotConfirmer confirmer = confirmer(2_000);

  @Test
  void onlyWhatTheDatabaseHasIsConfirmed() throws Exception {
    PreparedEvent there = stored();
    PreparedEvent gone = prepared();
    PreparedEvent last = stored();
    List.of(there, gone, last).forEach(event -> assertThat(confirmer.offer(event)).isTrue());
    assertThat(ready).hasValue(3);

    assertThat(confirmer.confirmOne()).isNull();

    assertThat(confirmed).containsExactly(there, last);
    assertThat(confirmer.isWaiting()).isFalse();
    assertThat(confirmer.drain()).isEmpty();
  }

  @Test
  void whatCouldNotBeAskedAboutIsAskedAboutAgainAfterAPause() throws Exception {
    refusals.set(3);
    PreparedEvent event = stored();
    confirmer.offer(event);

    assertThat(confirmer.confirmOne()).hasMillis(50);
    assertThat(confirmer.confirmOne()).hasMillis(100);
    assertThat(confirmer.confirmOne()).hasMillis(200);
    assertThat(confirmed).isEmpty();
    assertThat(confirmer.isWaiting()).isTrue();

    assertThat(confirmer.confirmOne()).isNull();
    assertThat(confirmed).containsExactly(event);
  }

  @Test
  void manyAreAskedAboutTogetherFiveHundredAtTheMost() throws Exception {
    for (int i = 0; i < 501; i++) {
      confirmer.offer(stored());
    }

    assertThat(confirmer.confirmOne()).isZero();
    assertThat(confirmed).hasSize(500);
    assertThat(confirmer.confirmOne()).isNull();
    assertThat(confirmed).hasSize(501);
    assertThat(selects).hasValue(2);
  }

  @Test
  void noMoreWaitThanItHasRoomForAndWhatWaitsCanBeTakenOut() {
    HotConfirmer small = confirmer(2);
    List<PreparedEvent> events = List.of(prepared(), prepared(), prepared());
    List<Boolean> taken = new ArrayList<>();

    events.forEach(event -> taken.add(small.offer(event)));

    assertThat(taken).containsExactly(true, true, false);
    assertThat(small.drain()).containsExactly(events.get(0), events.get(1));
    assertThat(small.drain()).isEmpty();
  }

  private HotConfirmer confirmer(int capacity) {
    return new HotConfirmer(
        capacity,
        store,
        new EngineConnections(this::connect, health, Duration.ofSeconds(10)),
        health,
        confirmed::add,
        ready::incrementAndGet);
  }

  private Connection connect() throws SQLException {
    if (refusals.getAndDecrement() > 0) {
      throw new SQLException("connection refused", "08001");
    }
    selects.incrementAndGet();
    return store.connections().getConnection();
  }

  private static PreparedEvent prepared() {
    return PreparedEvent.leased(EventEnvelope.ofJson("Any", "{}"), LEASE, true);
  }

  private PreparedEvent stored() throws SQLException {
    PreparedEvent event = prepared();
    try (Connection connection = store.connections().getConnection()) {
      store.insert(connection, event.envelope(), event.lease());
    }
    return event;
  }
}
