package outbox.contracts.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxMessage;
import outbox.contracts.support.Spec;
import outbox.model.EventStatus;
import outbox.model.MessageId;
import outbox.spi.StoreException;

/** How messages get into the queue. */
interface EnqueueRules extends QueueUnderTest {

  @Test
  @Spec({"OBX-001", "OBX-002", "OBX-008", "OBX-009", "OBX-010"})
  default void aMessageIsCommittedWhenEnqueueReturns() {
    Instant before = now();

    MessageId first = outbox().enqueue("topic", "{}").id();
    MessageId second = outbox().enqueue("topic", "{}").id();

    assertThat(first).isNotEqualTo(second);
    assertThat(stored(first).status()).isEqualTo(EventStatus.NEW);
    assertThat(stored(first).attempts()).isZero();
    assertThat(stored(first).createdAt()).isBetween(before, now());
    assertThat(stored(first).doneAt()).isNull();
  }

  @Test
  @SuppressWarnings("NullAway")
  default void whatIsMissingIsNamed() {
    EventEnvelope message = EventEnvelope.ofJson("topic", "{}");

    assertThatThrownBy(() -> outbox().enqueueAll(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("messages");
    assertThatThrownBy(() -> outbox().enqueueAll(Arrays.asList(message, null)))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("messages[1]");
  }

  @Test
  @Spec("OBXU-01")
  default void everyFormOfEnqueueKeepsWhatItIsGiven() throws Exception {
    Outbox outbox = outbox();
    Instant due = Instant.parse("2020-01-02T03:04:05.678901Z");
    outbox.enqueue("t1", "p1");
    outbox.enqueue("t2", "p2", facts -> facts.correlationId("c2"));
    outbox.enqueue("t3", "p3", facts -> facts.correlationId("c3").dueAt(due));
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(false);
      outbox.enqueue(connection, "t4", "p4");
      outbox.enqueue(
          connection, EventEnvelope.builder("t5").payloadJson("p5").correlationId("c5").build());
      outbox.enqueue(
          connection,
          EventEnvelope.builder("t6").payloadJson("p6").correlationId("c6").dueAt(due).build());
      connection.commit();
    }

    List<OutboxMessage> claimed = claim(ME);

    assertThat(claimed)
        .extracting(
            OutboxMessage::topic,
            OutboxMessage::payload,
            OutboxMessage::correlationId,
            OutboxMessage::dueTime)
        .containsExactlyInAnyOrder(
            tuple("t1", "p1", null, null),
            tuple("t2", "p2", "c2", null),
            tuple("t3", "p3", "c3", due),
            tuple("t4", "p4", null, null),
            tuple("t5", "p5", "c5", null),
            tuple("t6", "p6", "c6", due));
  }

  @Test
  @Spec("OBX-003")
  default void aGivenConnectionIsNeitherCommittedNorRolledBackNorClosed() throws Exception {
    MessageId kept;
    MessageId undone;
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(false);
      undone = outbox().enqueue(connection, "topic", "{}").id();
      assertThat(row(undone.value())).isEmpty();
      connection.rollback();
      kept = outbox().enqueue(connection, "topic", "{}").id();
      assertThat(connection.isClosed()).isFalse();
      connection.commit();
    }

    assertThat(row(undone.value())).isEmpty();
    assertThat(ids(claim(ME))).containsExactly(kept);
  }

  @Test
  default void aGivenConnectionWithoutATransactionIsRefused() throws Exception {
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(true);

      assertThatThrownBy(() -> outbox().enqueue(connection, "topic", "{}"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("auto-commit");
    }
    assertThat(claim(ME)).isEmpty();
  }

  @Test
  @Spec("OBX-003")
  default void theThreadsTransactionIsJoined() throws Exception {
    List<MessageId> enqueued = new ArrayList<>();
    assertThatThrownBy(
            () ->
                transactions()
                    .run(
                        connection -> {
                          enqueued.add(outbox().enqueue("topic", "{}").id());
                          throw new IllegalStateException("business says no");
                        }))
        .hasMessage("business says no");
    assertThat(row(enqueued.get(0).value())).isEmpty();

    transactions().run(connection -> enqueued.add(outbox().enqueue("topic", "{}").id()));

    assertThat(ids(claim(ME))).containsExactly(enqueued.get(1));
  }

  @Test
  default void whoeverClaimsIsWokenAfterTheCommitAndNotBefore() throws Exception {
    AtomicInteger wakeUps = new AtomicInteger();
    AtomicInteger unseen = new AtomicInteger();
    Outbox outbox =
        builder()
            .onCommit(wakeUps::incrementAndGet)
            .onUnseenCommit(unseen::incrementAndGet)
            .build();

    outbox.enqueue("topic", "{}");
    assertThat(wakeUps).hasValue(1);
    transactions()
        .run(
            connection -> {
              outbox.enqueue("topic", "{}");
              assertThat(wakeUps).hasValue(1);
            });
    assertThat(wakeUps).hasValue(2);
    outbox.enqueue("topic", "{}", facts -> facts.dueAt(Instant.now().plus(Duration.ofHours(1))));
    assertThat(wakeUps).hasValue(2);
    assertThat(unseen).hasValue(0);
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(false);
      outbox.enqueue(connection, "topic", "{}");
      connection.rollback();
    }
    assertThat(unseen).hasValue(1);
    assertThat(wakeUps).hasValue(2);
  }

  @Test
  @Spec({"OBX-004", "OBX-005", "OBX-107", "OBX-109"})
  @SuppressWarnings("NullAway")
  default void whatTheQueueCannotHoldIsRefusedByName() {
    Outbox outbox = outbox();
    refused(() -> outbox.enqueue(null, "{}"), "topic");
    refused(() -> outbox.enqueue("", "{}"), "topic");
    refused(() -> outbox.enqueue("t".repeat(256), "{}"), "topic (256 characters)");
    refused(() -> outbox.enqueue("topic", null), "payload");
    refused(
        () -> outbox.enqueue("topic", "{}", facts -> facts.correlationId("c".repeat(256))),
        "correlationId (256 characters)");
    assertThat(claim(ME)).isEmpty();

    outbox.enqueue("t".repeat(255), "", facts -> facts.correlationId("c".repeat(255)));

    OutboxMessage longest = claimOnly(ME);
    assertThat(longest.topic()).hasSize(255);
    assertThat(longest.payload()).isEmpty();
    assertThat(longest.correlationId()).hasSize(255);
  }

  @Test
  @Spec({"OBX-004", "OBX-005", "OBX-107"})
  @SuppressWarnings("NullAway")
  default void aTransactionRefusesTheSameAndGoesOn() throws Exception {
    Outbox outbox = outbox();
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(false);
      refused(() -> outbox.enqueue(connection, (String) null, "{}"), "topic");
      refused(() -> outbox.enqueue(connection, "", "{}"), "topic");
      refused(() -> outbox.enqueue(connection, "t".repeat(256), "{}"), "topic (256 characters)");
      refused(() -> outbox.enqueue(connection, "topic", null), "payload");
      outbox.enqueue(connection, "kept", "");
      connection.commit();
    }

    assertThat(claimOnly(ME).topic()).isEqualTo("kept");
  }

  private static void refused(Runnable call, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  @Spec("OBX-108")
  default void thePayloadMayBeAsLargeAsTheOutboxIsToldToTake() {
    String payload = "x".repeat(2 * EventEnvelope.MAX_PAYLOAD_BYTES);
    refused(() -> outbox().enqueue("topic", payload), "maxPayloadBytes");

    builder().maxPayloadBytes(payload.length()).build().enqueue("topic", payload);

    assertThat(claimOnly(ME).payload()).hasSize(payload.length());
  }

  @Test
  @Spec({"OBX-006", "OBX-007", "OBX-012"})
  default void theDueTimeIsTheDatabasesToJudge() {
    advance(Duration.ofDays(30));
    MessageId later =
        outbox().enqueue("topic", "{}", facts -> facts.dueAt(now().plusSeconds(100))).id();
    MessageId past =
        outbox().enqueue("topic", "{}", facts -> facts.dueAt(now().minusSeconds(100))).id();
    MessageId now = outbox().enqueue("topic", "{}").id();

    assertThat(ids(claim(ME))).containsExactlyInAnyOrder(past, now);
    outbox().ack(ME, List.of(past, now));
    advance(Duration.ofSeconds(101));
    assertThat(ids(claim(ME))).containsExactly(later);
  }

  @Test
  default void manyAreStoredInTheOrderGivenWithAllTheyCarry() {
    Instant due = Instant.parse("2020-01-02T03:04:05.678901Z");
    List<EventEnvelope> messages =
        IntStream.range(0, 1203)
            .mapToObj(
                i ->
                    EventEnvelope.builder("topic-" + i)
                        .payloadJson(i % 2 == 0 ? "text '" + i + "' {\"ä\": \"\\\\\"}" : null)
                        .payloadBytes(i % 2 == 1 ? new byte[] {(byte) i, 0, -1} : null)
                        .aggregateType(i % 3 == 0 ? "type" : null)
                        .aggregateId(i % 3 == 1 ? "id, \"" + i : null)
                        .tenantId(i % 5 == 0 ? "tenant" : null)
                        .correlationId(i % 7 == 0 ? "c" + i : null)
                        .headers(i % 4 == 0 ? Map.of("k", "v\"\n" + i) : Map.of())
                        .dueAt(i % 11 == 0 ? due : null)
                        .expiresAt(i % 13 == 0 ? Instant.parse("2999-01-01T00:00:00.5Z") : null)
                        .build())
            .toList();

    List<Outbox.Enqueued> enqueued = outbox().enqueueAll(messages);

    assertThat(enqueued)
        .extracting(each -> each.id().value())
        .containsExactlyElementsOf(messages.stream().map(EventEnvelope::eventId).toList());
    List<OutboxMessage> claimed = outbox().claim(ME, LEASE, 2000);
    assertThat(claimed).hasSize(messages.size());
    for (OutboxMessage message : claimed) {
      EventEnvelope given = messages.get(Integer.parseInt(message.topic().substring(6)));
      EventEnvelope stored = message.envelope();
      assertThat(stored.payloadJson()).isEqualTo(given.payloadJson());
      assertThat(stored.payloadBytes()).isEqualTo(given.payloadBytes());
      assertThat(stored.aggregateType()).isEqualTo(given.aggregateType());
      assertThat(stored.aggregateId()).isEqualTo(given.aggregateId());
      assertThat(stored.tenantId()).isEqualTo(given.tenantId());
      assertThat(stored.correlationId()).isEqualTo(given.correlationId());
      assertThat(stored.headers()).isEqualTo(given.headers());
      assertThat(stored.dueAt()).isEqualTo(given.dueAt());
      assertThat(stored.expiresAt()).isEqualTo(given.expiresAt());
    }
  }

  @Test
  @Spec("OBX-091")
  default void manyAreStoredAllOrNone() {
    List<EventEnvelope> messages = new ArrayList<>();
    IntStream.range(0, 1500).forEach(i -> messages.add(EventEnvelope.ofJson("topic", "{}")));
    messages.add(messages.get(3));

    assertThatThrownBy(() -> outbox().enqueueAll(messages)).isInstanceOf(StoreException.class);

    assertThat(claim(ME)).isEmpty();
    assertThat(outbox().enqueueAll(List.of())).isEmpty();
  }

  @Test
  default void manyLargeOnesGoInSeveralStatements() {
    List<EventEnvelope> messages =
        IntStream.range(0, 6)
            .mapToObj(i -> EventEnvelope.ofJson("topic", "x".repeat(1_000_000)))
            .toList();

    outbox().enqueueAll(messages);

    assertThat(claim(ME)).hasSize(6);
  }
}
