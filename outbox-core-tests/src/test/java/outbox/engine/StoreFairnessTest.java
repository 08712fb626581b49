package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.dispatch.MultiOutboxDispatcher;
import outbox.routing.DrainFirstOutboxSelectionStrategy;

/** Many stores share connections, workers and the cold lane. */
class StoreFairnessTest extends ManyStores {
  @Test
  void connectionsOfAllStoresTogetherStayWithinTheBound() {
    for (int i = 0; i < 30; i++) {
      fill(tenant("t" + i), 40);
    }
    handlers.registerAll(event -> {});
    start();

    awaitTrue(() -> tenants.values().stream().allMatch(tenant -> done(tenant) == 40));

    assertThat(meter.most()).isLessThanOrEqualTo(PERMITS);
  }

  @Test
  void busyStoreDoesNotStarveTheOthers() {
    config.setDispatcherWorkers(1).setColdQueueCapacity(20);
    Tenant busy = tenant("busy");
    fill(busy, 2_000);
    for (int i = 0; i < 5; i++) {
      fill(tenant("small" + i), "Small", 5);
    }
    AtomicInteger handled = new AtomicInteger();
    AtomicInteger handledOfSmall = new AtomicInteger();
    AtomicInteger handledWhenSmallWereDone = new AtomicInteger();
    handlers.registerAll(
        event -> {
          handled.incrementAndGet();
          if (event.eventType().equals("Small") && handledOfSmall.incrementAndGet() == 25) {
            handledWhenSmallWereDone.set(handled.get());
          }
        });
    running =
        builder().maxConnections(2).strategy(new DrainFirstOutboxSelectionStrategy(3)).start();

    awaitTrue(() -> handledWhenSmallWereDone.get() > 0);
    assertThat(handledWhenSmallWereDone.get()).isLessThan(1_000);
  }

  @Test
  void eventOfAQuietStoreDoesNotWaitBehindAllOfABusyOne() throws Exception {
    config.setDispatcherWorkers(1);
    Tenant busy = tenant("busy");
    Tenant quiet = tenant("quiet");
    fill(busy, 500);
    AtomicInteger before = new AtomicInteger();
    AtomicBoolean handledQuiet = new AtomicBoolean();
    CountDownLatch go = new CountDownLatch(1);
    handlers.register(
        "Any",
        event -> {
          go.await();
          if (!handledQuiet.get()) {
            before.incrementAndGet();
          }
        });
    handlers.register("Quick", event -> handledQuiet.set(true));
    MultiOutboxDispatcher dispatcher = start();
    awaitTrue(() -> metrics.coldEnqueued() >= 200);
    dispatcher.router().getOutbox("quiet").enqueue("Quick", "{}");
    awaitTrue(() -> quiet.events.findAll().get(0).owner() != null);
    go.countDown();

    awaitTrue(() -> done(quiet) == 1 && done(busy) == 500);
    assertThat(before.get()).isLessThan(10);
  }
}
