package outbox.contracts.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore.Failure;
import outbox.spi.StoreException;

/** The five methods of a plain event store. */
interface PlainStoreRules extends StoreUnderTest {

  @Test
  @Spec({"FRM-26", "FRM-28", "FRM-38", "FRM-43", "FRM-46", "FRM-92", "OBX-001", "OBX-010"})
  default void storesANewEventWithAllItsFields() {
    EventEnvelope event =
        EventEnvelope.builder("OrderPlaced")
            .aggregateType(Aggregate.ORDER)
            .aggregateId("order-1")
            .tenantId("tenant-1")
            .correlationId("trace-1")
            .header("a", "1")
            .header("b", "2")
            .occurredAt(Instant.parse("2026-01-02T03:04:05.678901Z"))
            .expiresAt(Instant.parse("2099-01-02T03:04:05.678901Z"))
            .payloadJson("{\"id\": 1}")
            .build();

    insert(event);

    OutboxEvent polled = poll(Duration.ZERO, 10).get(0);
    assertThat(EventEnvelope.of(polled)).usingRecursiveComparison().isEqualTo(event);
    assertThat(polled.aggregateType()).isEqualTo("ORDER");
    assertThat(polled.attempts()).isZero();
    assertThat(stored(event.eventId()).status()).isEqualTo(EventStatus.NEW);
    assertThat(stored(event.eventId()).doneAt()).isNull();
  }

  @Test
  @Spec("FRM-32")
  default void keepsAbsentFieldsAbsent() {
    insert("a");

    OutboxEvent polled = poll(Duration.ZERO, 10).get(0);
    assertThat(polled.aggregateType()).isNull();
    assertThat(polled.aggregateId()).isNull();
    assertThat(polled.tenantId()).isNull();
    assertThat(polled.correlationId()).isNull();
    assertThat(polled.dueAt()).isNull();
    assertThat(polled.expiresAt()).isNull();
    assertThat(EventEnvelope.of(polled).headers()).isEmpty();
  }

  @Test
  @Spec("OBX-008")
  default void refusesAnEventIdThatExists() {
    insert("a");

    assertThatThrownBy(() -> insert("a"))
        .isInstanceOf(StoreException.class)
        .hasCauseInstanceOf(SQLException.class);
  }

  @Test
  @Spec("FRM-96")
  default void marksSayHowManyRowsTheyChanged() {
    insert("a", "b", "c");

    assertThat(markRetry("a", now(), "busy")).isEqualTo(1);
    assertThat(markRetry("a", now(), "busy")).isEqualTo(1);
    assertThat(markDone("a")).isEqualTo(1);
    assertThat(markDead("b", "broken")).isEqualTo(1);
    for (String ended : List.of("a", "unknown")) {
      assertThat(markDone(ended)).as(ended).isZero();
      assertThat(markRetry(ended, now(), "busy")).as(ended).isZero();
      assertThat(markDead(ended, "broken")).as(ended).isZero();
    }
    assertThat(stored("a").status()).isEqualTo(EventStatus.DONE);
    assertThat(stored("b").status()).isEqualTo(EventStatus.DEAD);
    assertThat(stored("c").status()).isEqualTo(EventStatus.NEW);
  }

  @Test
  @Spec({"FRM-47", "FRM-99"})
  default void marksAnEventDoneOnce() {
    insert("a");
    advance(Duration.ofMinutes(5));
    Instant before = now();

    assertThat(markDone("a")).isEqualTo(1);
    Instant after = now();
    advance(Duration.ofMinutes(5));
    assertThat(markDone("a")).isZero();
    assertThat(markDone("unknown")).isZero();

    assertThat(stored("a").status()).isEqualTo(EventStatus.DONE);
    assertThat(stored("a").doneAt()).isBetween(before, after);
    assertThat(stored("a").attempts()).isZero();
  }

  @Test
  @Spec({"FRM-48", "FRM-99"})
  default void marksAnEventForRetryUnlessItIsDone() {
    insert("a");
    Instant next = now().plusSeconds(90).truncatedTo(ChronoUnit.MICROS);

    assertThat(markRetry("a", next, "IOException: no")).isEqualTo(1);

    EventStoreContract.Row row = stored("a");
    assertThat(row.status()).isEqualTo(EventStatus.RETRY);
    assertThat(row.attempts()).isEqualTo(1);
    assertThat(row.availableAt()).isEqualTo(next);
    assertThat(row.lastError()).isEqualTo("IOException: no");
    assertThat(row.doneAt()).isNull();
    assertThat(markDone("a")).isEqualTo(1);
    assertThat(markRetry("a", next, null)).isZero();
    assertThat(stored("a").status()).isEqualTo(EventStatus.DONE);
  }

  @Test
  @Spec({"FRM-49", "FRM-99"})
  default void marksAnEventDeadUnlessItIsDone() {
    insert("a", "done");
    markDone("done");
    advance(Duration.ofMinutes(5));
    Instant before = now();

    assertThat(markDead("a", "broken")).isEqualTo(1);
    assertThat(markDead("done", "broken")).isZero();

    assertThat(stored("a").status()).isEqualTo(EventStatus.DEAD);
    assertThat(stored("a").lastError()).isEqualTo("broken");
    assertThat(stored("a").availableAt()).as("time of death").isBetween(before, now());
    assertThat(stored("a").attempts()).as("counted by markRetry only").isZero();
    assertThat(stored("a").doneAt()).isNull();
    assertThat(stored("done").status()).isEqualTo(EventStatus.DONE);
  }

  @Test
  @Spec({"FRM-47", "FRM-48", "FRM-49"})
  default void aMarkEndsTheLeaseAndTheAttempt() {
    insert("done", "retried", "dead");
    claimById("other", "done");
    abandon("other", new Failure("done", Duration.ZERO, "busy", "[]"));
    claimById("me", "done", "retried", "dead");
    markStarted("me", "done", "retried", "dead");
    advance(Duration.ofSeconds(5));

    markDone("done");
    markRetry("retried", now(), "busy");
    markDead("dead", "broken");

    EventStoreContract.Row done = stored("done");
    assertThat(done.processedBy()).isEqualTo("me");
    assertThat(done.lastError()).isNull();
    assertThat(done.listeners()).isNull();
    assertThat(List.of(done, stored("retried"), stored("dead")))
        .allSatisfy(row -> assertThat(row.owner()).isNull());
    assertThat(stored("dead").availableAt()).isBetween(now().minusSeconds(5), now());
    advance(PAST_LEASE);
    assertThat(claimOnly("other").suspect()).isFalse();
  }

  @Test
  @Spec({"FRM-47", "FRM-96"})
  default void deletingAtOnceLeavesWhatIsDoneAlready() {
    insert("a");
    markDone("a");

    int changed = call(connection -> deletingStore().markDone(connection, "a"));

    assertThat(changed).isZero();
    assertThat(row("a")).isPresent();
  }

  @Test
  @Spec("FRM-50")
  default void pollsWhatIsAvailableOrOldEnoughAtThatVeryInstant() {
    insert("a");
    advance(Duration.ofSeconds(60));
    Instant next = now().minusSeconds(20).truncatedTo(ChronoUnit.MICROS);
    markRetry("a", next, "busy");
    Duration age = Duration.between(stored("a").createdAt(), next);

    assertThat(pollAt(next, Duration.ZERO)).containsExactly("a");
    assertThat(pollAt(next.minusNanos(1_000), Duration.ZERO)).isEmpty();
    assertThat(pollAt(next, age)).containsExactly("a");
    assertThat(pollAt(next, age.plusNanos(1_000))).isEmpty();
  }

  private List<String> pollAt(Instant at, Duration skipRecent) {
    return call(c -> store().pollPending(c, at, skipRecent, 10)).stream()
        .map(OutboxEvent::eventId)
        .toList();
  }

  @Test
  @Spec("FRM-50")
  default void pollsWhatIsPendingAndDueInTheOrderOfCreation() {
    for (String id : List.of("c", "done", "a", "dead", "later", "b")) {
      insert(id);
      advance(Duration.ofSeconds(1));
    }
    markDone("done");
    markDead("dead", "broken");
    markRetry("later", now().plusSeconds(60), "busy");
    markRetry("a", now().minusSeconds(1), "busy");

    assertThat(poll(Duration.ZERO, 10))
        .extracting(OutboxEvent::eventId)
        .containsExactly("c", "a", "b");
    assertThat(poll(Duration.ZERO, 2)).extracting(OutboxEvent::eventId).containsExactly("c", "a");
    assertThat(poll(Duration.ZERO, 10)).extracting(OutboxEvent::attempts).containsExactly(0, 1, 0);
    assertThat(poll(Duration.ZERO, 10))
        .allSatisfy(
            event -> assertThat(event.createdAt()).isEqualTo(stored(event.eventId()).createdAt()));
  }

  @Test
  @Spec("FRM-50")
  default void pollSkipsWhatIsRecent() {
    insert("old");
    advance(Duration.ofSeconds(30));
    insert("young");

    assertThat(poll(Duration.ofSeconds(10), 10))
        .extracting(OutboxEvent::eventId)
        .containsExactly("old");
  }

  @Test
  @Spec("FRM-51")
  default void storesTextThatLooksLikeSqlAsItIs() {
    String hostile = "'; DROP TABLE outbox_event; -- \\' \" ${x} ? {d '2026-01-01'} :name %s";
    insert(
        EventEnvelope.builder(hostile)
            .aggregateType("'\\")
            .aggregateId(hostile)
            .tenantId("a' OR 'a'='a")
            .correlationId(hostile)
            .header(hostile, hostile)
            .payloadJson(hostile)
            .build());

    OutboxEvent polled = poll(Duration.ZERO, 10).get(0);
    assertThat(List.of(polled.eventType(), EventEnvelope.of(polled).headers().get(hostile)))
        .containsOnly(hostile);
    assertThat(polled.aggregateType()).isEqualTo("'\\");
    assertThat(polled.payloadJson()).isEqualTo(hostile);
    assertThat(markDead(hostile.substring(0, 30), hostile)).isZero();
    assertThat(markDead(polled.eventId(), hostile)).isEqualTo(1);
    assertThat(stored(polled.eventId()).lastError()).isEqualTo(hostile);
  }

  @Test
  @Spec("FRM-51")
  default void idsAndOwnersThatLookLikeSqlAreBoundAsTheyAre() {
    String id = "a' OR 'a'='a'; -- \\' \" ? :ids {x}";
    String owner = "') OR (1=1); DROP TABLE outbox_event; --";
    insert("bystander");
    insert(event(id));

    assertThat(ids(claimById(owner, id))).containsExactly(id);
    assertThat(renew(owner, id)).containsExactly(id);
    assertThat(markStarted(owner, id)).containsExactly(id);
    assertThat(inspect(List.of(id))).containsOnlyKeys(id);
    assertThat(abandon(owner, new Failure(id, Duration.ZERO, owner))).containsExactly(id);
    claimById(owner, id);
    assertThat(defer(owner, Duration.ZERO, id)).containsExactly(id);
    assertThat(markRetry(id, now(), owner)).isEqualTo(1);
    claimById(owner, id);
    assertThat(ack(owner, id)).containsExactly(id);

    assertThat(stored(id).processedBy()).isEqualTo(owner);
    assertThat(stored("bystander").status()).isEqualTo(EventStatus.NEW);
    assertThat(stored("bystander").owner()).isNull();
  }

  @Test
  @Spec({"FRM-52", "FRM-87", "OBX-003"})
  default void leavesTheCallersTransactionToTheCaller() throws SQLException {
    insert("a", "b", "c");
    try (Connection connection = beginTransaction()) {
      store().insertNew(connection, event("new"));
      store().markDone(connection, "a");
      store().markRetry(connection, "b", now(), "busy");
      store().markDead(connection, "c", "broken");
      assertThat(store().pollPending(connection, now(), Duration.ZERO, 10))
          .extracting(OutboxEvent::eventId)
          .contains("new")
          .doesNotContain("a", "c");
      assertThat(connection.isClosed()).isFalse();
      assertThat(connection.getAutoCommit()).isFalse();
      connection.rollback();
    }

    assertThat(row("new")).isEmpty();
    assertThat(List.of(stored("a"), stored("b"), stored("c")))
        .allSatisfy(row -> assertThat(row.status()).isEqualTo(EventStatus.NEW));
  }

  private List<OutboxEvent> poll(Duration skipRecent, int limit) {
    return call(c -> store().pollPending(c, now(), skipRecent, limit));
  }

  /** An aggregate type as applications write it. */
  enum Aggregate implements outbox.AggregateType {
    ORDER
  }
}
