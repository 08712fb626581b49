package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxConfig;
import outbox.contracts.support.CountingMetrics;
import outbox.dispatch.MultiOutboxDispatcher;
import outbox.model.EventStatus;
import outbox.model.MessageId;
import outbox.registry.DefaultListenerRegistry;
import outbox.routing.OutboxStore;
import outbox.routing.OutboxStoreProvider;
import outbox.testing.memory.InMemoryOutbox;

/** What is enqueued through the router is handled from memory: here without any poller. */
@Timeout(120)
class StoreHotPathTest extends InMemoryOutbox {
  private final List<String> handled = new CopyOnWriteArrayList<>();
  private final CountingMetrics metrics = new CountingMetrics();

  private Outbox outbox(OutboxConfig config) {
    OutboxStore store =
        OutboxStore.builder("only", connections(), store())
            .txContext(txContext())
            .transactions(transactions())
            .build();
    return closing(
            MultiOutboxDispatcher.builder(OutboxStoreProvider.of(List.of(store)))
                .config(config)
                .metrics(metrics)
                .listeners(
                    new DefaultListenerRegistry()
                        .register("Any", event -> handled.add(event.eventId())))
                .start())
        .router()
        .getOutbox("only");
  }

  private Outbox withoutPoller() {
    return outbox(config().setPollerEnabled(false));
  }

  @Test
  void messageIsHandledFromMemoryAndItsRowIsDone() {
    MessageId id = withoutPoller().enqueue("Any", "{}").id();

    awaitStatus(id.value(), EventStatus.DONE);
    assertThat(handled).containsExactly(id.value());
    assertThat(metrics.hotEnqueued()).isEqualTo(1);
    assertThat(metrics.coldEnqueued()).isZero();
  }

  @Test
  void manyAreHandledAndADuplicateIsLeftOut() {
    EventEnvelope first =
        EventEnvelope.builder("Any").payloadJson("{}").idempotencyKey("k").build();
    EventEnvelope again =
        EventEnvelope.builder("Any").payloadJson("{}").idempotencyKey("k").build();
    EventEnvelope other = EventEnvelope.ofJson("Any", "{}");

    List<Outbox.Enqueued> enqueued = withoutPoller().enqueueAll(List.of(first, again, other));

    assertThat(enqueued)
        .extracting(Outbox.Enqueued::alreadyExisted)
        .containsExactly(false, true, false);
    awaitStatus(first.eventId(), EventStatus.DONE);
    awaitStatus(other.eventId(), EventStatus.DONE);
    assertThat(handled).containsExactlyInAnyOrder(first.eventId(), other.eventId());
  }

  @Test
  void messageOfATransactionIsHandledAfterItsCommitAndNeverAfterItsRollback() throws Exception {
    Outbox outbox = withoutPoller();
    assertThatThrownBy(
            () ->
                transactions()
                    .run(
                        connection -> {
                          outbox.enqueue("Any", "{}");
                          throw new IllegalStateException("rolled back");
                        }))
        .hasMessageContaining("rolled back");

    List<MessageId> ids = new CopyOnWriteArrayList<>();
    transactions()
        .run(
            connection -> {
              ids.add(outbox.enqueue("Any", "{}").id());
              assertThat(handled).isEmpty();
            });
    MessageId id = ids.get(0);

    awaitStatus(id.value(), EventStatus.DONE);
    assertThat(handled).containsExactly(id.value());
  }

  @Test
  void whatNobodyHandlesHereOrIsDueLaterOrWhoseCommitIsNotSeenIsLeasedToNobody() throws Exception {
    Outbox outbox = withoutPoller();
    MessageId unknown = outbox.enqueue("Unknown", "{}").id();
    MessageId later =
        outbox
            .enqueue("Any", "{}", facts -> facts.dueAt(Instant.now().plus(Duration.ofHours(1))))
            .id();
    MessageId unseen;
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(false);
      unseen = outbox.enqueue(connection, "Any", "{}").id();
      connection.commit();
    }

    assertThat(List.of(unknown, later, unseen))
        .allSatisfy(id -> assertThat(row(id.value()).orElseThrow().owner()).isNull());
    assertThat(metrics.hotEnqueued()).isZero();
    assertThat(metrics.hotDropped()).isZero();
  }

  @Test
  void whatFindsNoRoomIsClaimedByThePollerAtOnce() {
    Outbox outbox =
        outbox(
            config().setHotQueueCapacity(1).setDispatcherWorkers(1).setPollerIntervalMs(600_000));

    List<Outbox.Enqueued> enqueued =
        outbox.enqueueAll(
            List.of(
                EventEnvelope.ofJson("Any", "{}"),
                EventEnvelope.ofJson("Any", "{}"),
                EventEnvelope.ofJson("Any", "{}")));

    enqueued.forEach(each -> awaitStatus(each.id().value(), EventStatus.DONE));
    assertThat(handled).hasSize(3);
    assertThat(metrics.hotEnqueued()).isEqualTo(1);
    assertThat(metrics.hotDropped()).isEqualTo(2);
  }
}
