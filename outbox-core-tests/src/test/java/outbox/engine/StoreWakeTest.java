package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.dispatch.MultiOutboxDispatcher;

/** What this process knows to be due is claimed at once, not when it is time for a look. */
class StoreWakeTest extends ManyStores {
  /** After a look that found something the next one by itself comes half a second later. */
  private static final int MORE_THAN_LOOKS_FIND_IN_TIME = 100;

  private static final Duration IN_TIME = Duration.ofSeconds(30);

  @Test
  @Spec("OBX-116")
  void enqueueWakesItsOwnStoreOnly() {
    config.setPollerIntervalMs(3_600_000);
    Tenant busy = tenant("busy");
    Tenant idle = tenant("idle");
    handlers.registerAll(event -> {});
    MultiOutboxDispatcher dispatcher = start();
    awaitTrue(() -> busy.connects.get() > 0 && idle.connects.get() > 0);

    long begin = System.nanoTime();
    for (int i = 1; i <= MORE_THAN_LOOKS_FIND_IN_TIME; i++) {
      int number = i;
      dispatcher.router().getOutbox("busy").enqueue("Any", "{}");
      awaitTrue(() -> done(busy) == number);
    }

    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(IN_TIME);
    assertThat(idle.connects.get()).isLessThan(busy.connects.get() / 2);
  }

  @Test
  @Spec("OBX-116")
  void idleStoreIsLookedIntoEverMoreRarely() {
    config.setPollerIntervalMs(3_600_000);
    tenant("idle");
    handlers.registerAll(event -> {});
    long begin = System.nanoTime();

    start();
    awaitTrue(() -> metrics.depthReports() >= 3);

    assertThat(Duration.ofNanos(System.nanoTime() - begin))
        .as("pauses of 0.85 s and 1.7 s at the least before the third look")
        .isGreaterThan(Duration.ofMillis(2_500));
  }

  @Test
  void whatIsToBeTriedAgainIsLookedForAtItsTime() {
    config
        .setPollerIntervalMs(3_600_000)
        .setRetryMaxAttempts(Integer.MAX_VALUE)
        .setRetryBaseDelayMs(10)
        .setRetryMaxDelayMs(10);
    Tenant tenant = tenant("one");
    AtomicInteger tries = new AtomicInteger();
    handlers.registerAll(
        event -> {
          if (tries.incrementAndGet() < MORE_THAN_LOOKS_FIND_IN_TIME) {
            throw new IllegalStateException("not yet");
          }
        });
    MultiOutboxDispatcher dispatcher = start();
    awaitTrue(() -> tenant.connects.get() > 0);

    long begin = System.nanoTime();
    dispatcher.router().getOutbox("one").enqueue("Any", "{}");
    awaitTrue(() -> done(tenant) == 1);

    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(IN_TIME);
  }
}
