package outbox.internal.engine.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.internal.engine.lease.FencedChange.Result;
import outbox.spi.LeasedEventStore.Lease;
import outbox.testing.memory.InMemoryEventStore;

class FencedChangeTest {
  private static final EventEnvelope EVENT = EventEnvelope.ofJson("Any", "{}");
  private static final String ID = EVENT.eventId();

  private final InMemoryEventStore store = new InMemoryEventStore();
  private final AtomicInteger tries = new AtomicInteger();

  @BeforeEach
  void lease() throws Exception {
    try (Connection connection = store.connections().getConnection()) {
      store.insert(connection, EVENT, new Lease("me", Duration.ofMinutes(1)));
    }
  }

  @Test
  void waitsForALockedRowAsLongAsItIsWorthIt() throws Exception {
    assertThat(apply("me", () -> true, () -> lockedUntilTry(30))).isEqualTo(Result.CHANGED);
    assertThat(tries).hasValue(30);
  }

  @Test
  void triesAMomentEvenIfItIsNotWorthIt() throws Exception {
    assertThat(apply("me", () -> false, () -> lockedUntilTry(3))).isEqualTo(Result.CHANGED);
  }

  @Test
  void tellsALockedRowFromALostOne() throws Exception {
    assertThat(apply("me", () -> false, Set::of)).isEqualTo(Result.LOCKED);
    assertThat(apply("another", () -> true, Set::of)).isEqualTo(Result.LOST);
  }

  private Set<String> lockedUntilTry(int count) {
    return tries.incrementAndGet() < count ? Set.of() : Set.of(ID);
  }

  private Result apply(String owner, BooleanSupplier patient, Supplier<Set<String>> change)
      throws Exception {
    try (Connection connection = store.connections().getConnection()) {
      return FencedChange.apply(store, connection, owner, ID, patient, change);
    }
  }
}
