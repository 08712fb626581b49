package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import outbox.admin.data.OperatedDatabase;
import outbox.admin.metrics.Health;
import outbox.admin.metrics.HealthThresholds;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;

class WatchTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final ExecutorService looks = Executors.newCachedThreadPool();
  private volatile CountDownLatch answers = new CountDownLatch(0);

  @Test
  void theLastSampleStandsInForOneThatIsLate() {
    try (TestDatabase database = TestDatabase.create(Product.H2)) {
      new SampleQueue(database.dataSource());
      Watch watch = watch(database);
      await().atMost(LONG).until(() -> watch.sample().snapshot() != null);
      CountDownLatch blocked = new CountDownLatch(1);
      answers = blocked;
      await().atMost(LONG).until(() -> !watch.ask().look().value().isDone());

      Sample late = watch.sample();

      assertThat(late.late()).isTrue();
      assertThat(late.age()).isPositive();
      assertThat(late.health().status()).isEqualTo(Health.Status.OK);
      blocked.countDown();
      await().atMost(LONG).until(() -> !watch.sample().late());
    } finally {
      looks.shutdown();
    }
  }

  @Test
  void withoutALastSampleOneThatIsLateMeansThatTheDatabaseIsDown() {
    try (TestDatabase database = TestDatabase.create(Product.H2)) {
      CountDownLatch blocked = new CountDownLatch(1);
      answers = blocked;

      assertThat(watch(database).sample()).isSameAs(Sample.UNANSWERED);

      blocked.countDown();
    } finally {
      looks.shutdown();
    }
  }

  private Watch watch(TestDatabase database) {
    OperatedDatabase late =
        LateDatabase.of("main", database, Duration.ofSeconds(1), () -> answers.await());
    return new Watch(late, HealthThresholds.DEFAULT, looks);
  }
}
