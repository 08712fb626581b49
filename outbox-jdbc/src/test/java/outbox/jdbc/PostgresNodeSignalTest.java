package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;

class PostgresNodeSignalTest {
  @SuppressWarnings("NullAway.Init")
  private static TestDatabase database;

  @BeforeAll
  static void create() {
    database = TestDatabase.create(Product.POSTGRES_NEWEST);
  }

  @AfterAll
  static void drop() {
    if (database != null) {
      database.close();
    }
  }

  @Test
  void signalReachesOtherNodesButNotItsSender() {
    AtomicInteger sender = new AtomicInteger();
    AtomicInteger receiver = new AtomicInteger();
    try (PostgresNodeSignal one = signal();
        PostgresNodeSignal two = signal()) {
      one.listen(sender::incrementAndGet);
      two.listen(receiver::incrementAndGet);
      until(() -> sender.get() == 1 && receiver.get() == 1);

      one.send();

      until(() -> receiver.get() == 2);
      assertThat(sender).hasValue(1);
    }
  }

  @Test
  void lostConnectionIsReplacedAndCountsAsASignalThatMayBeLost() {
    AtomicInteger receiver = new AtomicInteger();
    try (PostgresNodeSignal one = signal();
        PostgresNodeSignal two = signal()) {
      two.listen(receiver::incrementAndGet);
      until(() -> receiver.get() == 1);

      database.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE query LIKE '%outbox_event_signal%' AND pid <> pg_backend_pid()");
      until(() -> receiver.get() >= 2);
      int before = receiver.get();
      one.send();

      until(() -> receiver.get() > before);
    }
  }

  @Test
  void closedSignalRefusesListenersAndIgnoresSends() {
    PostgresNodeSignal signal = signal();
    signal.close();

    signal.send();
    assertThatThrownBy(() -> signal.listen(() -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void eventLeftByANodeThatDoesNotPollWakesAnotherLongBeforeItWouldLook() throws Exception {
    AtomicInteger handled = new AtomicInteger();
    OutboxConfig rarely = new OutboxConfig().setPollerIntervalMs(600_000);
    try (JdbcOutbox worker =
            JdbcOutbox.builder(database.dataSource())
                .createSchema()
                .config(rarely)
                .notifyNodes()
                .listener("Any", event -> handled.incrementAndGet())
                .start();
        JdbcOutbox publisher =
            JdbcOutbox.builder(database.dataSource())
                .config(new OutboxConfig().setPollerEnabled(false))
                .notifyNodes()
                .start()) {
      assertThat(worker.dispatcher().hasColdQueueCapacity()).isTrue();
      for (int published = 1; published <= 20; published++) {
        int expected = published;
        publisher.inTransaction(c -> publisher.publish(EventEnvelope.ofJson("Any", "{}")));
        until(() -> handled.get() == expected);
      }
    }
  }

  private static PostgresNodeSignal signal() {
    return new PostgresNodeSignal(new DataSourceConnectionProvider(database.dataSource()));
  }

  private static void until(Callable<Boolean> condition) {
    await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(5)).until(condition);
  }
}
