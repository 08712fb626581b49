package outbox.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.testing.memory.InMemoryEventStore;

class SelectionStrategiesTest {
  private final OutboxStore a = store("a");
  private final OutboxStore b = store("b");
  private final OutboxStore c = store("c");
  private final List<OutboxStore> all = List.of(a, b, c);
  private final Set<OutboxStore> everyone = Set.of(a, b, c);

  @Test
  @Spec({"OBX-061", "OBX-062", "IBX-086", "IBX-087"})
  void roundRobinTakesOneBatchFromEachStoreInOrder() {
    OutboxSelectionStrategy strategy = new RoundRobinOutboxSelectionStrategy();

    assertThat(List.of(next(strategy), next(strategy), next(strategy), next(strategy)))
        .containsExactly(a, b, c, a);
  }

  @Test
  @Spec("OBX-062")
  void roundRobinPassesOverStoresThatAreNotDue() {
    OutboxSelectionStrategy strategy = new RoundRobinOutboxSelectionStrategy();

    assertThat(strategy.select(all, Set.of(b, c))).isSameAs(b);
    assertThat(strategy.select(all, Set.of(a, b))).isSameAs(a);
    assertThat(strategy.select(all, Set.of(a, c))).isSameAs(c);
  }

  @Test
  void roundRobinGoesOnWhenItsLastStoreIsGone() {
    OutboxSelectionStrategy strategy = new RoundRobinOutboxSelectionStrategy();
    strategy.select(all, Set.of(c));

    assertThat(strategy.select(List.of(a, b), Set.of(a, b))).isSameAs(a);
  }

  @Test
  @Spec({"OBX-063", "IBX-088"})
  void drainFirstStaysUntilTheStoreHasNoMore() {
    OutboxSelectionStrategy strategy = new DrainFirstOutboxSelectionStrategy();

    for (int i = 0; i < 5; i++) {
      assertThat(next(strategy)).isSameAs(a);
      strategy.claimed(a, true);
    }
    strategy.claimed(a, false);
    assertThat(next(strategy)).isSameAs(b);
    assertThat(next(strategy)).isSameAs(b);
    strategy.claimed(b, false);
    assertThat(next(strategy)).isSameAs(c);
  }

  @Test
  @Spec("OBX-063")
  void drainFirstServesOthersWhileABatchOfItsStoreIsUnderWayAndComesBack() {
    OutboxSelectionStrategy strategy = new DrainFirstOutboxSelectionStrategy();
    assertThat(next(strategy)).isSameAs(a);

    assertThat(strategy.select(all, Set.of(b, c))).isSameAs(b);
    assertThat(strategy.select(all, Set.of(b, c))).isSameAs(c);

    assertThat(next(strategy)).isSameAs(a);
  }

  @Test
  void cappedDrainFirstMovesOnSoThatABusyStoreStarvesNoOther() {
    OutboxSelectionStrategy strategy = new DrainFirstOutboxSelectionStrategy(2);

    assertThat(List.of(next(strategy), next(strategy), next(strategy), next(strategy)))
        .containsExactly(a, a, b, b);
    assertThat(next(strategy)).isSameAs(c);
    OutboxSelectionStrategy one = new DrainFirstOutboxSelectionStrategy(1);
    assertThat(List.of(next(one), next(one))).containsExactly(a, b);
    assertThatThrownBy(() -> new DrainFirstOutboxSelectionStrategy(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maxBatchesInARow (0)");
  }

  @Test
  void storeThatIsDueAlthoughItIsNotInTheListIsServedAllTheSame() {
    assertThat(new RoundRobinOutboxSelectionStrategy().select(List.of(a, b), Set.of(c)))
        .isSameAs(c);
  }

  private OutboxStore next(OutboxSelectionStrategy strategy) {
    return strategy.select(all, everyone);
  }

  private static OutboxStore store(String identifier) {
    InMemoryEventStore events = new InMemoryEventStore();
    return OutboxStore.builder(identifier, events.connections(), events).build();
  }
}
