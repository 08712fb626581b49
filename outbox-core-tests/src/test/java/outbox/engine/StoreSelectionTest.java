package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.routing.DrainFirstOutboxSelectionStrategy;
import outbox.routing.OutboxSelectionStrategy;
import outbox.routing.OutboxStore;

/** The dispatcher asks its strategy before each batch, and tells it what the batch came to. */
class StoreSelectionTest extends ManyStores {
  private final List<String> batches = new CopyOnWriteArrayList<>();

  @Test
  @Spec({"OBX-061", "IBX-086"})
  void theStrategyDecidesWhichStoreIsClaimedFrom() {
    fill(tenant("first"), 100);
    fill(tenant("last"), 100);
    List<String> chosen = new CopyOnWriteArrayList<>();
    AtomicInteger outOfTurn = new AtomicInteger();
    serveBy(
        (stores, due) -> {
          OutboxStore waitsLongest = due.iterator().next();
          OutboxStore last = stores.get(1);
          OutboxStore choice = due.contains(last) ? last : waitsLongest;
          outOfTurn.addAndGet(choice == waitsLongest ? 0 : 1);
          chosen.add(choice.identifier());
          return choice;
        });

    assertThat(outOfTurn).hasPositiveValue();
    assertThat(batches)
        .extracting(batch -> batch.substring(0, batch.indexOf(' ')))
        .isEqualTo(chosen.subList(0, batches.size()));
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
    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () ->
                stores.stream()
                    .allMatch(store -> batches.contains(store.identifier() + " drained")));
  }
}
