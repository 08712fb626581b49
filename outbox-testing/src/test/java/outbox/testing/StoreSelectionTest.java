package outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import outbox.routing.DrainFirstOutboxSelectionStrategy;
import outbox.routing.OutboxSelectionStrategy;
import outbox.routing.OutboxStore;

/** The dispatcher asks its strategy before each batch, and tells it what the batch came to. */
class StoreSelectionTest extends ManyStores {
  private final List<String> batches = new CopyOnWriteArrayList<>();

  @Test
  @Spec({"OBX-061", "IBX-086"})
  void theStrategyDecidesWhichStoreIsClaimedFrom() {
    fill(tenant("first"), 5);
    fill(tenant("last"), 15);
    serveBy(
        new OutboxSelectionStrategy() {
          @Override
          public OutboxStore select(List<OutboxStore> stores, Set<OutboxStore> due) {
            OutboxStore last = stores.get(stores.size() - 1);
            return due.contains(last) ? last : due.iterator().next();
          }
        });

    assertThat(batches).startsWith("last more");
    assertThat(batches.subList(0, batches.indexOf("first drained"))).endsWith("last drained");
  }

  @Test
  @Spec({"OBX-063", "IBX-088"})
  void drainFirstHearsThatAStoreHasMoreAndThatItHasNoMore() {
    fill(tenant("one"), 25);
    fill(tenant("two"), 15);
    serveBy(new DrainFirstOutboxSelectionStrategy());

    int drained = batches.indexOf("one drained");
    assertThat(batches.subList(0, drained)).hasSizeGreaterThanOrEqualTo(2).containsOnly("one more");
    assertThat(batches.get(drained + 1)).isEqualTo("two more");
    assertThat(batches).contains("two drained");
  }

  /** By one connection for claims, so that one batch follows the other, until all are handled. */
  private void serveBy(OutboxSelectionStrategy strategy) {
    handlers.registerAll(event -> {});
    OutboxSelectionStrategy recording =
        new OutboxSelectionStrategy() {
          @Override
          public OutboxStore select(List<OutboxStore> stores, Set<OutboxStore> due) {
            return strategy.select(stores, due);
          }

          @Override
          public void claimed(OutboxStore store, boolean more) {
            batches.add(store.identifier() + (more ? " more" : " drained"));
            strategy.claimed(store, more);
          }
        };
    running = builder().maxConnections(2).strategy(recording).start();
    awaitTrue(
        () -> stores.stream().allMatch(store -> batches.contains(store.identifier() + " drained")));
  }
}
