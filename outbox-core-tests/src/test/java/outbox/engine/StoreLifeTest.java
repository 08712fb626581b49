package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.dispatch.MultiOutboxDispatcher;
import outbox.model.EventStatus;

/** Stores come, are served for as long as they stay, and go without losing anything. */
class StoreLifeTest extends ManyStores {
  @Test
  @Spec({"OBX-071", "OBX-073"})
  void storeThatIsAddedIsServedAndThoseThatWereThereKeepTheirOutbox() {
    tenant("one");
    handlers.registerAll(event -> {});
    MultiOutboxDispatcher dispatcher = start();
    var before = dispatcher.router().getOutbox("one");

    Tenant added = tenant("added");
    fill(added, 3);
    listeners.forEach(Runnable::run);

    awaitTrue(() -> done(added) == 3);
    assertThat(dispatcher.router().getOutbox("one")).isSameAs(before);
  }

  @Test
  void leasesOfWhatWaitsAreRenewed() throws Exception {
    config
        .setLeaseDuration(Duration.ofSeconds(2))
        .setDispatcherWorkers(1)
        .setPollerIntervalMs(3_600_000);
    Tenant slow = tenant("slow");
    fill(slow, 2);
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger handled = new AtomicInteger();
    handlers.registerAll(
        event -> {
          release.await();
          handled.incrementAndGet();
        });
    start();
    awaitTrue(() -> slow.events.findAll().stream().allMatch(event -> event.owner() != null));
    var first = slow.events.findAll().get(0).leasedUntil().orElseThrow();

    awaitTrue(
        () ->
            slow.events.findAll().get(0).leasedUntil().orElseThrow().isAfter(first.plusSeconds(2)));

    release.countDown();
    awaitTrue(() -> done(slow) == 2);
    assertThat(handled).hasValue(2);
  }

  @Test
  @Spec("OBX-072")
  void removedStoreIsDrainedItsLeasesAreGivenBackAndThenItIsClosed() {
    config.setDispatcherWorkers(1).setDrainTimeout(Duration.ofMillis(200));
    Tenant leaving = tenant("leaving");
    Tenant staying = tenant("staying");
    fill(leaving, 10);
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    handlers.register(
        "Any",
        event -> {
          started.countDown();
          try {
            new CountDownLatch(1).await();
          } finally {
            interrupted.countDown();
          }
        });
    handlers.register("Quick", event -> {});
    MultiOutboxDispatcher dispatcher = start();
    awaitTrue(() -> started.getCount() == 0);
    awaitTrue(() -> leaving.events.findAll().stream().allMatch(event -> event.owner() != null));

    stores.remove(leaving.store);
    listeners.forEach(Runnable::run);

    assertThatThrownBy(() -> dispatcher.router().getOutbox("leaving"))
        .isInstanceOf(IllegalStateException.class);
    awaitTrue(() -> leaving.closes.get() == 1);
    assertThat(interrupted.getCount()).isZero();
    assertThat(leaving.events.findAll()).hasSize(10).allMatch(event -> event.owner() == null);
    assertThat(leaving.events.findAll()).allMatch(event -> event.event().attempts() == 0);
    assertThat(staying.closes).hasValue(0);
    dispatcher.router().getOutbox("staying").enqueue("Quick", "{}");
    awaitTrue(() -> done(staying) == 1);
  }

  @Test
  void closeStoresEveryOutcomeAndClosesEveryStore() {
    for (int i = 0; i < 5; i++) {
      fill(tenant("t" + i), 20);
    }
    handlers.registerAll(event -> {});
    MultiOutboxDispatcher dispatcher = start();
    awaitTrue(() -> tenants.values().stream().anyMatch(tenant -> done(tenant) > 0));

    dispatcher.close();
    dispatcher.close();

    assertThat(tenants.values())
        .allSatisfy(
            tenant -> {
              assertThat(tenant.closes).hasValue(1);
              assertThat(tenant.events.findAll())
                  .allMatch(event -> event.status() == EventStatus.DONE || event.owner() == null);
            });
  }
}
