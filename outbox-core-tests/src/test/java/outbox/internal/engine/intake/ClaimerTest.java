package outbox.internal.engine.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.CountingMetrics;
import outbox.contracts.support.Spec;
import outbox.internal.engine.StoreRuntime;
import outbox.internal.engine.health.EngineConnections;
import outbox.internal.engine.intake.Claimer.Batch;
import outbox.internal.engine.schedule.ScheduledStores;
import outbox.testing.memory.InMemoryEventStore;

/** How much a claim brings, and whether it asks for another one. */
class ClaimerTest extends ScheduledStores {
  private static final Logger SUMMARY = Logger.getLogger("outbox.worker");
  private static final long ANY_BYTES = Long.MAX_VALUE;

  private final InMemoryEventStore events = new InMemoryEventStore();
  private final CountingMetrics metrics = new CountingMetrics();
  private final StoreRuntime runtime = served("one", events).runtime();

  @Test
  void aCycleGoesOnUntilABatchIsShort() throws Exception {
    insert(7);
    Claimer claimer = claimer(3);

    assertThat(claimer.claimAllThatFits()).isEqualTo(7);
    assertThat(workers.lanes().coldDepth()).isEqualTo(7);
    assertThat(metrics.coldEnqueued()).isEqualTo(7);
    assertThat(metrics.coldDepth()).isEqualTo(7);
    assertThat(claimer.claimAllThatFits()).isZero();
  }

  @Test
  void aCycleEndsWhereTheLaneHasRoomForLessThanABatchAndLessThanHalf() throws Exception {
    insert(130);
    Claimer claimer = claimer(50);

    assertThat(claimer.claimAllThatFits()).isEqualTo(100);
    assertThat(claimer.claimAllThatFits()).isEqualTo(20);
    assertThat(claimer.claimAllThatFits()).isZero();
    assertThat(workers.lanes().coldDepth()).isEqualTo(120);
  }

  @Test
  void aBatchThatIsFullByNumberMayHaveLeftSome() throws Exception {
    insert(2);

    assertThat(claimer(10).claimOne(2, ANY_BYTES, () -> {})).isEqualTo(new Batch(2, true));
    insert(2);
    assertThat(claimer(10).claimOne(3, ANY_BYTES, () -> {})).isEqualTo(new Batch(2, false));
  }

  @Test
  void aShortBatchOfAScanThatBeganInTheMiddleMayHaveLeftSome() throws Exception {
    insert(3);
    Claimer claimer = claimer(10);

    assertThat(claimer.claimOne(2, ANY_BYTES, () -> {})).isEqualTo(new Batch(2, true));
    assertThat(claimer.claimOne(2, ANY_BYTES, () -> {})).isEqualTo(new Batch(1, true));
    assertThat(claimer.claimOne(2, ANY_BYTES, () -> {})).isEqualTo(new Batch(0, false));
  }

  @Test
  void aBatchMayBeFullByTheBytesThatItsTextHasAtTheMost() throws Exception {
    EventEnvelope text = EventEnvelope.ofJson("Any", "x".repeat(100));

    assertThat(isFull(text, 300)).isTrue();
    assertThat(isFull(text, 301)).isFalse();
  }

  @Test
  void aBatchMayBeFullByTheBytesOfBinaryPayloads() throws Exception {
    EventEnvelope binary = EventEnvelope.builder("Any").payloadBytes(new byte[100]).build();

    assertThat(isFull(binary, 100)).isTrue();
    assertThat(isFull(binary, 101)).isFalse();
  }

  @Test
  @Spec("IDEM-43")
  void eachClaimAndEachLookInVainTellsTheSummaryOfTheWorkersOnceItIsDue() throws Exception {
    List<String> summaries = new CopyOnWriteArrayList<>();
    Handler handler =
        new StreamHandler() {
          @Override
          public synchronized void publish(LogRecord line) {
            summaries.add(line.getMessage());
          }
        };
    SUMMARY.addHandler(handler);
    try {
      insert(1);
      claimer(10).claimOne(1, ANY_BYTES, () -> {});
      assertThat(summaries).isEmpty();

      passed.addAndGet(Duration.ofMinutes(1).toNanos());
      claimer(10).claimOne(1, ANY_BYTES, () -> {});
      assertThat(summaries)
          .singleElement(STRING)
          .startsWith("OUTBOX_WORKER_SUMMARY")
          .contains("fetched=1");

      insert(1);
      claimer(10).claimOne(1, ANY_BYTES, () -> {});
      passed.addAndGet(Duration.ofMinutes(1).toNanos());
      assertThat(claimer(10).look()).isFalse();
      assertThat(summaries).hasSize(2);
    } finally {
      SUMMARY.removeHandler(handler);
    }
  }

  @Test
  void nothingIsClaimedOnceTheStationIsClosed() throws Exception {
    insert(1);
    runtime.claims().close();

    assertThat(claimer(10).claimAllThatFits()).isZero();
    assertThat(claimer(10).claimOne(1, ANY_BYTES, () -> {})).isEqualTo(Batch.EMPTY);
    assertThat(claimer(10).failed(new SQLException("interrupted"))).isEqualTo(Duration.ofMillis(5));
    assertThat(runtime.health().isDown()).isFalse();
  }

  @Test
  void aLookSaysWhetherAClaimIsWorthItsWhile() throws Exception {
    assertThat(claimer(10).look()).isFalse();
    assertThat(metrics.depthReports()).isEqualTo(1);
    assertThat(metrics.coldDepth()).isZero();

    insert(1);
    assertThat(claimer(10).look()).isTrue();
    assertThat(metrics.depthReports()).isEqualTo(1);
  }

  @Test
  void demandIsServedTogetherForFiveMilliseconds() {
    Claimer claimer = claimer(10);
    long before = System.nanoTime();
    claimer.claimAllThatFits();

    assertThat(claimer.nextAllowed() - Duration.ofMillis(5).toNanos())
        .isBetween(before, System.nanoTime());
  }

  private boolean isFull(EventEnvelope event, long maxBytes) throws SQLException {
    InMemoryEventStore one = new InMemoryEventStore();
    insert(one, event);
    StoreRuntime its = served("of " + event.eventType() + maxBytes, one).runtime();
    return claimer(its, one, 10).claimOne(10, maxBytes, () -> {}).full();
  }

  private Claimer claimer(int batchSize) {
    return claimer(runtime, events, batchSize);
  }

  private Claimer claimer(StoreRuntime its, InMemoryEventStore store, int batchSize) {
    EngineConnections connections =
        new EngineConnections(store.connections(), its.health(), Duration.ofSeconds(10));
    return new Claimer(its.context(), connections, batchSize, Duration.ZERO, metrics);
  }

  private void insert(int count) throws SQLException {
    for (int i = 0; i < count; i++) {
      insert(events, EventEnvelope.ofJson("Any", "{}"));
    }
  }

  private static void insert(InMemoryEventStore store, EventEnvelope event) throws SQLException {
    try (Connection connection = store.connections().getConnection()) {
      store.insertNew(connection, event);
    }
  }
}
