package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.contracts.support.LogCapture;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.MetricsExporter;
import outbox.testing.memory.InMemoryOutbox;

/** The engine outlives its database. */
class OutageTest extends InMemoryOutbox {
  private volatile boolean down;

  /** Refuses connections while the database is down; business transactions go on elsewhere. */
  private Connection engineConnection() throws SQLException {
    if (down) {
      throw new SQLException("connection refused", "08001");
    }
    return connections().getConnection();
  }

  @Test
  @Spec({"FRM-25", "FRM-83"})
  void outcomesHeldDuringAnOutageAreStoredAfterItAndItIsLoggedOnce() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch release = new CountDownLatch(1);
    ConnectionProvider provider = this::engineConnection;
    OutboxDispatcher dispatcher =
        closing(
            OutboxDispatcher.builder(provider, store())
                .config(config())
                .listeners(
                    new DefaultListenerRegistry()
                        .registerAll(
                            event -> {
                              release.await();
                              runs.incrementAndGet();
                            }))
                .build());
    OutboxPoller poller =
        closing(
            new OutboxPoller(
                provider, store(), dispatcher, Duration.ZERO, 10, 20, MetricsExporter.NOOP));
    poller.start();
    OutboxClient client = client(dispatcher);

    try (LogCapture log = LogCapture.of("outbox")) {
      List<String> ids = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        ids.add(publish(client, "Any"));
      }
      down = true;
      release.countDown();
      awaitTrue(() -> runs.get() == 20);
      awaitTrue(() -> !log.errors().isEmpty());
      assertThat(store().count(EventStatus.DONE)).isZero();

      down = false;
      for (String id : ids) {
        awaitStatus(id, EventStatus.DONE);
      }

      assertThat(runs).hasValue(20);
      assertThat(log.errors()).filteredOn(line -> line.contains("unavailable")).hasSize(1);
      awaitTrue(() -> log.all().stream().anyMatch(line -> line.contains("available again")));
    }
  }

  @Test
  @Spec("FRM-83")
  void outageIsLoggedOnceHoweverManyStatementsFail() {
    AtomicInteger refused = new AtomicInteger();
    ConnectionProvider provider =
        () -> {
          if (down) {
            refused.incrementAndGet();
          }
          return engineConnection();
        };
    OutboxDispatcher dispatcher =
        closing(OutboxDispatcher.builder(provider, store()).config(config()).build());
    OutboxPoller poller =
        closing(
            new OutboxPoller(
                provider, store(), dispatcher, Duration.ZERO, 10, 20, MetricsExporter.NOOP));

    try (LogCapture log = LogCapture.of("outbox")) {
      down = true;
      poller.start();
      awaitTrue(() -> refused.get() >= 4);
      down = false;

      assertThat(log.errors()).filteredOn(line -> line.contains("unavailable")).hasSize(1);
    }
  }

  @Test
  @Spec("FRM-83")
  void pollerContinuesAlthoughItsLogThrows() throws Exception {
    Deque<Throwable> failures =
        new ConcurrentLinkedDeque<>(
            List.of(
                new SQLException("connection refused", "08001"),
                new OutOfMemoryError("for a moment")));
    ConnectionProvider failing =
        () -> {
          Throwable failure = failures.poll();
          if (failure instanceof SQLException e) {
            throw e;
          } else if (failure instanceof Error e) {
            throw e;
          }
          return connections().getConnection();
        };
    OutboxDispatcher dispatcher =
        dispatcher(config(), new DefaultListenerRegistry().registerAll(event -> {}));
    OutboxPoller poller =
        closing(
            new OutboxPoller(
                failing, store(), dispatcher, Duration.ZERO, 10, 20, MetricsExporter.NOOP));
    String id = store(EventEnvelope.ofJson("Any", "{}"));

    try (FullDisk log = new FullDisk()) {
      long begin = System.nanoTime();
      poller.start();

      awaitStatus(id, EventStatus.DONE);
      assertThat(Duration.ofNanos(System.nanoTime() - begin))
          .as("a pause of half a second after each failure")
          .isGreaterThan(Duration.ofMillis(600));
      assertThat(failures).isEmpty();
      assertThat(log.errors()).as("each failure, and the thread's").hasValue(4);
    }
  }

  /** Can write no error that the poller logs. */
  private static final class FullDisk extends Handler implements AutoCloseable {
    private final Logger logger = Logger.getLogger("outbox");
    private final AtomicInteger errors = new AtomicInteger();

    private FullDisk() {
      logger.addHandler(this);
    }

    AtomicInteger errors() {
      return errors;
    }

    @Override
    public void publish(LogRecord record) {
      if (record.getLevel().equals(Level.SEVERE)
          && Thread.currentThread().getName().startsWith("outbox-store-")) {
        errors.incrementAndGet();
        throw new IllegalStateException("disk full");
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      logger.removeHandler(this);
    }
  }

  @Test
  @Spec("FRM-83")
  void loopsGoOnAfterAnErrorAndSaySo() throws Exception {
    AtomicInteger errors = new AtomicInteger();
    ConnectionProvider provider = outOfMemory(errors);
    OutboxDispatcher dispatcher = handlingAll(provider);
    OutboxPoller poller =
        closing(
            new OutboxPoller(
                provider, store(), dispatcher, Duration.ZERO, 10, 20, MetricsExporter.NOOP));

    try (LogCapture log = LogCapture.of("outbox")) {
      errors.set(2);
      poller.start();
      String cold = store(EventEnvelope.ofJson("Any", "{}"));
      awaitStatus(cold, EventStatus.DONE);
      assertThat(log.entries()).contains("SEVERE claim failed, continuing");
      assertThat(log.errors()).anyMatch(line -> line.contains("OutOfMemoryError"));
    }
  }

  @Test
  @Spec("FRM-83")
  void dispatchersLoopGoesOnAfterAnErrorAndSaysSo() throws Exception {
    AtomicInteger errors = new AtomicInteger();
    ConnectionProvider provider = outOfMemory(errors);
    OutboxDispatcher dispatcher = handlingAll(provider);

    try (LogCapture log = LogCapture.of("outbox")) {
      errors.set(2);
      String hot = publish(client(dispatcher), "Any");
      awaitStatus(hot, EventStatus.DONE);

      assertThat(log.errors())
          .anyMatch(line -> line.contains("completion") && line.contains("OutOfMemoryError"));
    }
  }

  /** Has no memory as often as the number says. */
  private ConnectionProvider outOfMemory(AtomicInteger errors) {
    return () -> {
      if (errors.getAndDecrement() > 0) {
        throw new OutOfMemoryError("for a moment");
      }
      return connections().getConnection();
    };
  }

  private OutboxDispatcher handlingAll(ConnectionProvider provider) {
    return closing(
        OutboxDispatcher.builder(provider, store())
            .config(config())
            .listeners(new DefaultListenerRegistry().registerAll(event -> {}))
            .build());
  }

  @Test
  void dispatcherStartsWithoutItsDatabaseAndUsesItWhenItIsThere() throws Exception {
    down = true;
    OutboxDispatcher dispatcher = handlingAll(this::engineConnection);
    down = false;

    String id = publish(client(dispatcher), "Any");

    awaitStatus(id, EventStatus.DONE);
  }

  @Test
  void publishOnAConnectionInAutoCommitModeIsRefused() throws Exception {
    OutboxDispatcher dispatcher = dispatcher(config(), new DefaultListenerRegistry());
    OutboxClient client = client(dispatcher);

    transactions()
        .run(
            connection -> {
              connection.setAutoCommit(true);
              assertThatThrownBy(() -> publish(client))
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("auto-commit");
              connection.setAutoCommit(false);
            });
  }

  private static String publish(OutboxClient client) {
    return client.publish(EventEnvelope.ofJson("Any", "{}"));
  }
}
