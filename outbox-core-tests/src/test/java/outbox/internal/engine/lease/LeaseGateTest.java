package outbox.internal.engine.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.internal.engine.delivery.Deliveries;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Delivery.Hold;
import outbox.internal.engine.health.DatabaseHealth;
import outbox.internal.engine.health.EngineConnections;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.MetricsExporter;
import outbox.testing.SettableClock;
import outbox.testing.memory.InMemoryEventStore;
import outbox.testing.memory.StoredEvent;

class LeaseGateTest {
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final EventEnvelope EVENT = EventEnvelope.ofJson("Any", "{}");

  private final SettableClock clock = new SettableClock();
  private final InMemoryEventStore store = new InMemoryEventStore(clock);
  private final LeaseGate gate =
      new LeaseGate(
          store,
          new EngineConnections(
              store.connections(), new DatabaseHealth("", MetricsExporter.NOOP), LEASE),
          new OwnerTokens("me"),
          LEASE);

  @Test
  void leaseThatIsGoodByTheLocalClockPassesWithoutAskingTheDatabase() throws Exception {
    insert("me");
    clock.advance(Duration.ofSeconds(1));
    StoredEvent before = stored();

    assertThat(gate.pass(delivery("me", inTime(), false))).isTrue();
    assertThat(stored()).isEqualTo(before);
  }

  @Test
  void leaseThatIsOverByTheLocalClockIsRenewedFirst() throws Exception {
    insert("me");
    clock.advance(Duration.ofSeconds(1));
    Delivery late = delivery("me", overdue(), false);

    assertThat(gate.pass(late)).isTrue();
    assertThat(late.deadlinePassed(System.nanoTime())).isFalse();
    assertThat(stored().leasedUntil()).contains(stored().event().createdAt().plusSeconds(61));
  }

  @Test
  void leaseThatTheKeeperWouldHaveRenewedByNowIsRenewedFirst() throws Exception {
    insert("me");
    clock.advance(Duration.ofSeconds(40));
    long leftNanos = LEASE.dividedBy(3).toNanos();
    Delivery shortOfTime = delivery("me", System.nanoTime() + leftNanos, false);

    assertThat(gate.asks(shortOfTime)).isTrue();
    assertThat(gate.pass(shortOfTime)).isTrue();
    assertThat(stored().leasedUntil()).contains(stored().event().createdAt().plusSeconds(100));
  }

  @Test
  void renewalThatTookTooLongIsRepeated() throws Exception {
    insert("me");
    Delivery late = delivery("me", overdue(), false);
    SlowConnections slow = new SlowConnections(1);

    assertThat(slow.gate().pass(late)).isTrue();
    assertThat(slow.opened).hasValueGreaterThan(1);
    assertThat(late.deadlinePassed(System.nanoTime())).isFalse();
  }

  @Test
  void eventWhoseRenewalsAllTakeTooLongDoesNotPass() throws Exception {
    insert("me");
    SlowConnections slow = new SlowConnections(Integer.MAX_VALUE);

    assertThat(slow.gate().pass(delivery("me", overdue(), false))).isFalse();
    assertThat(slow.opened).hasValue(3);
  }

  @Test
  void eventThatAnotherTookAfterTheLocalDeadlineDoesNotPass() throws Exception {
    insert("other");

    assertThat(gate.pass(delivery("me", overdue(), false))).isFalse();
    assertThat(stored().owner()).isEqualTo("other");
  }

  @Test
  void startOfASuspectIsRecordedBeforeItPasses() throws Exception {
    insert("me");
    Delivery suspect = delivery("me", inTime(), true);

    assertThat(gate.pass(suspect)).isTrue();
    assertThat(suspect.isSuspect()).isFalse();
    assertThat(stored().started()).isEqualTo(2);
  }

  @Test
  void suspectThatAnotherTookDoesNotPass() throws Exception {
    insert("other");

    assertThat(gate.pass(delivery("me", inTime(), true))).isFalse();
    assertThat(stored().started()).isZero();
  }

  @Test
  void copyOfAnEventThatIsDoneDoesNotPass() throws Exception {
    insert("me");
    call(connection -> store.ack(connection, "me", List.of(EVENT.eventId())));

    assertThat(gate.pass(delivery(null, inTime(), false))).isFalse();
  }

  @Test
  void copyWithoutALeasePassesOnceItIsClaimed() throws Exception {
    insert(null);
    Delivery byHand = delivery(null, inTime(), false);

    assertThat(gate.pass(byHand)).isTrue();
    assertThat(stored().owner()).isNotNull().isEqualTo(byHand.hold().owner());
  }

  /** The first connections come when a lease that was asked for before has ended. */
  private final class SlowConnections implements ConnectionProvider {
    private static final Duration SHORT_LEASE = Duration.ofMillis(500);

    private final AtomicInteger opened = new AtomicInteger();
    private final int slow;

    private SlowConnections(int slow) {
      this.slow = slow;
    }

    private LeaseGate gate() {
      DatabaseHealth health = new DatabaseHealth("", MetricsExporter.NOOP);
      EngineConnections connections = new EngineConnections(this, health, LEASE);
      return new LeaseGate(store, connections, new OwnerTokens("me"), SHORT_LEASE);
    }

    @Override
    public Connection getConnection() throws SQLException {
      if (opened.incrementAndGet() <= slow) {
        long end = System.nanoTime() + SHORT_LEASE.toNanos();
        await().pollInterval(Duration.ofMillis(5)).until(() -> System.nanoTime() - end > 0);
      }
      return store.connections().getConnection();
    }
  }

  private void insert(@Nullable String owner) throws SQLException {
    Lease lease = owner == null ? null : new Lease(owner, LEASE);
    call(
        connection -> {
          store.insert(connection, EVENT, lease);
          return lease;
        });
  }

  private <T> T call(Function<Connection, T> work) throws SQLException {
    try (Connection connection = store.connections().getConnection()) {
      return work.apply(connection);
    }
  }

  private StoredEvent stored() {
    return store.find(EVENT.eventId()).orElseThrow();
  }

  private static Delivery delivery(@Nullable String owner, long deadline, boolean suspect) {
    Hold hold = new Hold(owner, deadline);
    return Deliveries.claimed(EVENT, 0, Instant.now(), hold, suspect, 0, 1);
  }

  private static long inTime() {
    return System.nanoTime() + LEASE.toNanos();
  }

  private static long overdue() {
    return System.nanoTime() - 1;
  }
}
