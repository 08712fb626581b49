package outbox.contracts.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.Batches;
import outbox.DeferException;
import outbox.EventBatch;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.TransactionalBatchListener;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;

/**
 * The writes of a transactional batch listener and the end of all its events are one transaction.
 */
interface TransactionalBatchRules extends BatchListenerRules {

  private DefaultListenerRegistry transactionalOf(TransactionalBatchListener listener) {
    return new DefaultListenerRegistry()
        .registerTransactionalBatch("Many", Batches.of(10), listener);
  }

  private OutboxConfig oneAtATime() {
    return config().setDispatcherWorkers(1);
  }

  private OutboxConfig patient() {
    return oneAtATime().setRetryBaseDelayMs(600_000).setRetryMaxDelayMs(600_000);
  }

  /** Writes an effect of each event; twice for one event would break its key. */
  private void write(EventBatch batch, Connection connection) {
    batch.events().forEach(event -> write(event, connection));
  }

  private void write(EventEnvelope event, Connection connection) {
    store()
        .insertNew(
            connection,
            EventEnvelope.builder("Effect")
                .eventId("e-" + event.eventId().substring(2))
                .payloadJson("{}")
                .build());
  }

  private boolean hasEffect(String id) {
    return row("e-" + id.substring(2)).isPresent();
  }

  @Test
  default void writesOfABatchCommitWithTheEndOfAllItsEvents() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    List<String> ids = stored("Many", 5);

    gathered(
        oneAtATime(),
        transactionalOf(
            (batch, connection) -> {
              calls.incrementAndGet();
              write(batch, connection);
            }),
        ids);

    awaitAll(ids, EventStatus.DONE);
    assertThat(calls).hasValue(1);
    assertThat(ids).allMatch(this::hasEffect);
  }

  @Test
  default void anEventThatIsRecordedAsFailedLeavesNoEffectAndTheOthersRunWithoutIt()
      throws Exception {
    List<Integer> sizes = new CopyOnWriteArrayList<>();
    List<String> ids = stored("Many", 5);
    String bad = ids.get(2);

    gathered(
        patient(),
        transactionalOf(
            (batch, connection) -> {
              sizes.add(batch.events().size());
              write(batch, connection);
              for (EventEnvelope event : batch.events()) {
                if (event.eventId().equals(bad)) {
                  batch.failed(event, new IllegalStateException("away"));
                }
              }
            }),
        ids);

    awaitStatus(bad, EventStatus.RETRY);
    for (String id : ids) {
      if (!id.equals(bad)) {
        awaitStatus(id, EventStatus.DONE);
        assertThat(hasEffect(id)).isTrue();
        assertThat(row(id).orElseThrow().attempts()).isZero();
      }
    }
    assertThat(hasEffect(bad)).isFalse();
    assertThat(row(bad).orElseThrow().lastError()).contains("away");
    assertThat(sizes).containsExactly(5, 4);
  }

  @Test
  default void afterAnExceptionEachEventRunsAloneAndOnlyTheBadOneCountsAnAttempt()
      throws Exception {
    List<Integer> sizes = new CopyOnWriteArrayList<>();
    List<String> ids = stored("Many", 4);
    String bad = ids.get(1);

    gathered(
        patient(),
        transactionalOf(
            (batch, connection) -> {
              sizes.add(batch.events().size());
              write(batch, connection);
              if (batch.events().stream().anyMatch(event -> event.eventId().equals(bad))) {
                throw new IllegalStateException("away");
              }
            }),
        ids);

    awaitStatus(bad, EventStatus.RETRY);
    for (String id : ids) {
      if (!id.equals(bad)) {
        awaitStatus(id, EventStatus.DONE);
        assertThat(hasEffect(id)).isTrue();
        assertThat(row(id).orElseThrow().attempts()).isZero();
      }
    }
    assertThat(hasEffect(bad)).isFalse();
    assertThat(sizes).containsExactly(4, 1, 1, 1, 1);
  }

  @Test
  default void whatIsDeferredInABatchKeepsItsWrites() throws Exception {
    List<String> ids = stored("Many", 2);

    gathered(
        oneAtATime(),
        transactionalOf(
            (batch, connection) -> {
              write(batch, connection);
              batch.defer(batch.events().get(0), Duration.ofMinutes(10));
            }),
        ids);

    awaitStatus(ids.get(1), EventStatus.DONE);
    assertThat(row(ids.get(0)).orElseThrow().status()).isEqualTo(EventStatus.NEW);
    assertThat(row(ids.get(0)).orElseThrow().owner()).isNull();
    assertThat(ids).allMatch(this::hasEffect);
  }

  @Test
  default void aListenerThatDefersByAnExceptionIsNotCalledForEachEvent() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    List<String> ids = stored("Many", 3);

    gathered(
        oneAtATime(),
        transactionalOf(
            (batch, connection) -> {
              if (calls.incrementAndGet() == 1) {
                write(batch, connection);
                throw new DeferException(Duration.ofMillis(1));
              }
              write(batch, connection);
            }),
        ids);

    awaitAll(ids, EventStatus.DONE);
    assertThat(ids).allMatch(this::hasEffect);
    ids.forEach(id -> assertThat(row(id).orElseThrow().attempts()).isZero());
    assertThat(calls.get()).isLessThanOrEqualTo(4);
  }

  @Test
  default void aBatchOfWhichOneEventIsLostRollsBackAndTheOthersRunAlone() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    List<String> ids = stored("Many", 3);
    gathered(
        oneAtATime(),
        transactionalOf(
            (batch, connection) -> {
              write(batch, connection);
              started.countDown();
              release.await();
            }),
        ids);
    started.await();
    String lost = ids.get(1);
    String holder = requireNonNull(row(lost).orElseThrow().owner());
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(true);
      store().defer(connection, holder, List.of(lost), Duration.ofMinutes(10));
    }

    release.countDown();

    awaitStatus(ids.get(0), EventStatus.DONE);
    awaitStatus(ids.get(2), EventStatus.DONE);
    assertThat(hasEffect(ids.get(0))).isTrue();
    assertThat(hasEffect(ids.get(2))).isTrue();
    assertThat(hasEffect(lost)).isFalse();
    assertThat(row(lost).orElseThrow().status()).isEqualTo(EventStatus.NEW);
  }

  @Test
  default void singleAndBatchListenersOfATopicShareTheTransaction() throws Exception {
    AtomicInteger plain = new AtomicInteger();
    List<String> ids = stored("Many", 3);

    gathered(
        oneAtATime(),
        transactionalOf((batch, connection) -> {})
            .registerTransactional("Many", this::write)
            .register("Many", event -> plain.incrementAndGet()),
        ids);

    awaitAll(ids, EventStatus.DONE);
    assertThat(ids).allMatch(this::hasEffect);
    assertThat(plain).hasValue(3);
  }
}
