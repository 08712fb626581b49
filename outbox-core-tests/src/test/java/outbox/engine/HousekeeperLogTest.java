package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.Retention;
import outbox.contracts.support.LogCapture;
import outbox.internal.retention.Housekeeper;
import outbox.spi.Chore;
import outbox.spi.ConnectionsBusyException;
import outbox.spi.StoreException;

/** What a housekeeper says about chores that fail. */
class HousekeeperLogTest {
  private static final String FAILED = "chore failed, again after PT0.005S chore=purge";

  @Test
  void anOutageIsReportedOnceAndTheNextOneAgain() {
    assertThat(levelsOf(failed(), failed(), null, failed(), failed()))
        .containsExactly("WARNING", "FINE", "WARNING", "FINE");
  }

  @Test
  void aConnectionThatIsNotToBeHadJustNowIsNoOutage() {
    StoreException busy = new StoreException("busy", new ConnectionsBusyException("all taken"));
    assertThat(levelsOf(busy, failed(), busy, failed()))
        .containsExactly("FINE", "WARNING", "FINE", "FINE");
  }

  private static RuntimeException failed() {
    return new IllegalStateException("database is down");
  }

  /** How batches with these ends are reported; null stands for one that ends well. */
  private static List<String> levelsOf(@Nullable RuntimeException... ends) {
    AtomicInteger batches = new AtomicInteger();
    Retention fast = Retention.ofOutbox().interval(Duration.ofMillis(5)).pause(Duration.ZERO);
    try (LogCapture log = LogCapture.of("outbox.retention");
        Housekeeper housekeeper = new Housekeeper(fast)) {
      housekeeper.add(
          new Chore() {
            @Override
            public String name() {
              return "purge";
            }

            @Override
            public boolean batch() {
              int batch = batches.getAndIncrement();
              RuntimeException end = batch < ends.length ? ends[batch] : null;
              if (end != null) {
                throw end;
              }
              return false;
            }
          });
      await().atMost(Duration.ofSeconds(60)).until(() -> batches.get() > ends.length);
      return log.entries().stream()
          .filter(entry -> entry.endsWith(FAILED))
          .map(entry -> entry.substring(0, entry.indexOf(' ')))
          .toList();
    }
  }
}
