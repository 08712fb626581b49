package outbox.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.dispatch.OutboxDispatcher;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.MetricsExporter;
import outbox.testing.memory.InMemoryOutbox;

/** When a poller looks, and how it ends. */
class PollerTest extends InMemoryOutbox {
  private static final Duration ONE_SECOND = Duration.ofSeconds(1);
  private static final Duration LONG = Duration.ofHours(1);

  private final List<Long> looks = new CopyOnWriteArrayList<>();
  private final SpiedStore spied =
      new SpiedStore(
          store(),
          method -> {
            if (method.equals("claim") || method.equals("mayHaveDue")) {
              looks.add(System.nanoTime());
            }
          });
  private final OutboxDispatcher dispatcher =
      closing(
          OutboxDispatcher.builder(connections(), spied.store())
              .config(config())
              .listeners(new DefaultListenerRegistry().registerAll(event -> {}))
              .build());

  /** After a look that finds nothing the pause is a second. */
  @Test
  void looksAgainSoonAfterAFind() {
    awaitTrue(
        () -> {
          looks.clear();
          store(EventEnvelope.ofJson("Any", "{}"));
          try (OutboxPoller poller = rare(connections())) {
            poller.start();
            awaitTrue(() -> looks.size() >= 2);
          }
          return between(0, 1).compareTo(ONE_SECOND) < 0;
        });
  }

  /** By itself it pauses for one second and then for two. */
  @Test
  void looksAtOnceAndSoonAgainForWhatIsExpected() {
    awaitTrue(
        () -> {
          looks.clear();
          try (OutboxPoller poller = rare(connections())) {
            poller.start();
            awaitTrue(() -> looks.size() == 1);
            poller.expect();
            awaitTrue(() -> looks.size() >= 3);
          }
          return between(0, 2).compareTo(ONE_SECOND) < 0;
        });
  }

  @Test
  void pausesLongerAfterEachFailure() {
    List<Long> tries = new CopyOnWriteArrayList<>();
    ConnectionProvider refusing =
        () -> {
          tries.add(System.nanoTime());
          throw new SQLException("connection refused", "08001");
        };

    try (OutboxPoller poller = rare(refusing)) {
      poller.start();
      awaitTrue(() -> tries.size() >= 4);
    }

    assertThat(Duration.ofNanos(tries.get(3) - tries.get(0)))
        .as("pauses of 50, 100 and 200 ms")
        .isGreaterThanOrEqualTo(Duration.ofMillis(350));
  }

  @Test
  void aWaitForAConnectionHasEndedWhenItIsClosed() {
    List<String> waits = new CopyOnWriteArrayList<>();
    OutboxPoller poller = waiting(waits);
    poller.start();
    awaitTrue(() -> waits.contains("begun"));

    poller.close(LONG);

    assertThat(waits).containsExactly("begun", "ended");
  }

  /** Waits in vain for its connections. */
  private OutboxPoller waiting(List<String> waits) {
    return rare(
        () -> {
          waits.add("begun");
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException e) {
            waits.add("ended");
          }
          throw new SQLException("interrupted");
        });
  }

  @Test
  void stoppingEndsAWaitForAConnectionWithoutWaitingItself() {
    List<String> waits = new CopyOnWriteArrayList<>();
    OutboxPoller poller = waiting(waits);
    poller.start();
    awaitTrue(() -> waits.contains("begun"));

    poller.stop();

    awaitTrue(() -> waits.equals(List.of("begun", "ended")));
    assertThat(looks).isEmpty();
  }

  @Test
  void closingWaitsForTheLookUnderWay() throws Exception {
    List<String> ends = new CopyOnWriteArrayList<>();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    SpiedStore slow =
        new SpiedStore(
            spied.store(),
            method -> {
              if (method.equals("claim")) {
                begun.countDown();
                awaitLatch(release);
                ends.add("look");
              }
            });
    OutboxDispatcher ofSlow =
        closing(
            OutboxDispatcher.builder(connections(), slow.store())
                .listeners(new DefaultListenerRegistry())
                .build());
    OutboxPoller poller =
        closing(
            new OutboxPoller(
                connections(),
                slow.store(),
                ofSlow,
                Duration.ZERO,
                10,
                3_600_000,
                MetricsExporter.NOOP));
    poller.start();
    begun.await();
    Thread closer =
        new Thread(
            () -> {
              poller.close(LONG);
              ends.add("close");
            });

    closer.start();
    awaitTrue(() -> closer.getState() == Thread.State.TIMED_WAITING || !closer.isAlive());
    release.countDown();
    closer.join();

    assertThat(ends).containsExactly("look", "close");
  }

  @Test
  void canBeClosedByItsOwnThread() {
    AtomicReference<OutboxPoller> poller = new AtomicReference<>();
    CountDownLatch closed = new CountDownLatch(1);
    poller.set(
        rare(
            () -> {
              requireNonNull(poller.get()).close(LONG);
              closed.countDown();
              return connections().getConnection();
            }));

    requireNonNull(poller.get()).start();

    awaitTrue(() -> closed.getCount() == 0);
  }

  /** A poller whose interval is never over. */
  private OutboxPoller rare(ConnectionProvider provider) {
    return closing(
        new OutboxPoller(
            provider,
            spied.store(),
            dispatcher,
            Duration.ZERO,
            10,
            3_600_000,
            MetricsExporter.NOOP));
  }

  private Duration between(int first, int last) {
    return Duration.ofNanos(looks.get(last) - looks.get(first));
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
