package outbox.contracts.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.Failure;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.LeasedEventStore.RowState;
import outbox.spi.OrderedEvents;
import outbox.spi.OrderedEvents.Advance;
import outbox.spi.OrderedEvents.HeldKey;
import outbox.spi.OrderedEvents.Placement;
import outbox.spi.OrderedEvents.Sweep;
import outbox.spi.StoreException;

/** The events of an ordering key are started one after the other, in the order of commits. */
interface OrderRules extends StoreUnderTest {

  @Test
  default void onlyTheFirstEventOfAKeyIsFoundByAClaim() {
    assertThat(insertOrdered("a1", "a")).isEqualTo(Placement.FIRST);
    assertThat(insertOrdered("a2", "a")).isEqualTo(Placement.BEHIND);
    assertThat(insertOrdered("b1", "b")).isEqualTo(Placement.FIRST);
    insert("free");

    assertThat(stored("a1").status()).isEqualTo(EventStatus.NEW);
    assertThat(stored("a2").status()).isEqualTo(EventStatus.WAITING);
    assertThat(claimIds("me")).containsExactlyInAnyOrder("a1", "b1", "free");
    assertThat(claimById("me", "a2")).isEmpty();
    assertThat(ack("me", "a2")).isEmpty();
    assertThat(inspect(List.of("a2")).values())
        .extracting(RowState::status)
        .containsExactly(EventStatus.WAITING);
  }

  @Test
  default void aFirstEventIsInsertedWithItsLeaseAndAWaitingOneWithout() {
    Lease lease = new Lease("me", LEASE);
    call(connection -> ordered().insert(connection, ordered("a1", "a"), lease));
    call(connection -> ordered().insert(connection, ordered("a2", "a"), lease));

    assertThat(stored("a1").owner()).isEqualTo("me");
    assertThat(stored("a2").owner()).isNull();
    assertThat(ack("me", "a1")).containsExactly("a1");
  }

  @Test
  default void theKeyComesBackAsItWasGiven() {
    String key = "Ä'k\\ " + "x".repeat(250);
    insertOrdered("a1", key);
    insertOrdered("a2", key);

    assertThat(claimOnly("me").event().orderingKey()).isEqualTo(key);
    ack("me", "a1");
    assertThat(start(key).events().get(0).event().orderingKey()).isEqualTo(key);
    assertThat(claimIds("other")).isEmpty();
  }

  @Test
  default void theEndOfAnEventLetsTheNextStart() {
    insertOrdered("a1", "a");
    insertOrdered("a2", "a");
    insertOrdered("a3", "a");
    claimIds("me");
    ack("me", "a1");

    Advance second = start("a");
    assertThat(ids(second.events())).containsExactly("a2");
    assertThat(second.followed()).contains("a2");
    assertThat(stored("a2").owner()).isEqualTo("starter");
    assertThat(stored("a3").status()).isEqualTo(EventStatus.WAITING);
    assertThat(start("a").events()).isEmpty();

    assertThat(ack("starter", "a2")).containsExactly("a2");
    Advance third = start("a");
    assertThat(ids(third.events())).containsExactly("a3");
    assertThat(third.followed()).isEmpty();
  }

  @Test
  default void aKeyWhoseEventsHaveAllEndedBeginsAgain() {
    for (int round = 1; round <= 3; round++) {
      assertThat(insertOrdered("a" + round, "a")).isEqualTo(Placement.FIRST);
      claimIds("me");
      ack("me", "a" + round);
      assertThat(start("a")).isEqualTo(Advance.NOTHING);
    }
    assertThat(insertOrdered("b1", "a")).isEqualTo(Placement.FIRST);
    assertThat(insertOrdered("b2", "a")).isEqualTo(Placement.BEHIND);
  }

  @Test
  default void aKeyThatWasNotAdvancedIsNotMistakenForIdle() {
    insertOrdered("a1", "a");
    claimIds("me");
    ack("me", "a1");

    assertThat(insertOrdered("a2", "a")).isEqualTo(Placement.BEHIND);
    assertThat(ids(start("a").events())).containsExactly("a2");
  }

  @Test
  default void anEventThatIsRetriedOrDeferredKeepsItsTurn() {
    insertOrdered("a1", "a");
    insertOrdered("a2", "a");
    claimIds("me");
    abandon("me", new Failure("a1", Duration.ZERO, "again"));
    assertThat(start("a")).isEqualTo(Advance.NOTHING);

    assertThat(claimIds("me")).containsExactly("a1");
    defer("me", Duration.ofHours(1), "a1");
    assertThat(start("a")).isEqualTo(Advance.NOTHING);
    assertThat(claimIds("me")).isEmpty();
  }

  @Test
  default void anEventOfADeadOwnerKeepsItsTurn() {
    insertOrdered("a1", "a");
    insertOrdered("a2", "a");
    claimIds("dead");
    advance(LEASE.plusSeconds(1));
    reap(Duration.ZERO, 10);

    assertThat(start("a")).isEqualTo(Advance.NOTHING);
    assertThat(claimIds("me")).containsExactly("a1");
    assertThat(ack("dead", "a1")).isEmpty();
    assertThat(ack("me", "a1")).containsExactly("a1");
    assertThat(ids(start("a").events())).containsExactly("a2");
  }

  @Test
  default void aStartedEventIsTakenOverAfterItsLease() {
    insertOrdered("a1", "a");
    insertOrdered("a2", "a");
    claimIds("me");
    ack("me", "a1");
    start("a");
    advance(LEASE.plusSeconds(1));

    assertThat(claimIds("other")).containsExactly("a2");
    assertThat(ack("starter", "a2")).isEmpty();
  }

  @Test
  default void aDeadEventHoldsItsKeyUntilItIsReleased() {
    insertOrdered("a1", "a");
    insertOrdered("a2", "a");
    claimIds("me");
    fail("me", new Failure("a1", Duration.ZERO, "broken"));

    assertThat(start("a")).isEqualTo(Advance.NOTHING);
    HeldKey held = call(connection -> ordered().held(connection, List.of("a", "b"))).get(0);
    assertThat(held.orderingKey()).isEqualTo("a");
    assertThat(held.eventId()).isEqualTo("a1");
    assertThat(held.topic()).isEqualTo("Type");
    assertThat(held.error()).isEqualTo("broken");
    assertThat(held.since()).isEqualTo(stored("a1").availableAt());

    assertThat(release("a2")).isEmpty();
    assertThat(release("a1")).containsExactly("a");
    assertThat(stored("a1").status()).isEqualTo(EventStatus.DEAD);
    assertThat(ids(start("a").events())).containsExactly("a2");
  }

  @Test
  default void aReplayedEventGoesBeforeItsSuccessors() {
    insertOrdered("a1", "a");
    insertOrdered("a2", "a");
    claimIds("me");
    fail("me", new Failure("a1", Duration.ZERO, "broken"));
    call(connection -> store().replay(connection, List.of("a1"), "op", false, null));

    assertThat(start("a")).isEqualTo(Advance.NOTHING);
    assertThat(insertOrdered("a3", "a")).isEqualTo(Placement.BEHIND);
    assertThat(claimIds("me")).containsExactly("a1");
    ack("me", "a1");
    assertThat(ids(start("a").events())).containsExactly("a2");
  }

  @Test
  default void aDiscardedOrPurgedEventHoldsItsKeyNoLonger() {
    insertOrdered("a1", "a");
    insertOrdered("a2", "a");
    insertOrdered("a3", "a");
    claimIds("me");
    fail("me", new Failure("a1", Duration.ZERO, "broken"));
    call(connection -> store().discard(connection, List.of("a1"), "op", "no", null));
    Collection<String> keys =
        call(connection -> ordered().keysOf(connection, List.of("a1", "none")));
    assertThat(keys).containsExactly("a");
    assertThat(ids(start("a").events())).containsExactly("a2");

    fail("starter", new Failure("a2", Duration.ZERO, "broken"));
    advance(Duration.ofHours(2));
    call(connection -> store().purgeDead(connection, Duration.ofHours(1), 10));
    assertThat(ids(start("a").events())).containsExactly("a3");
  }

  @Test
  default void whatIsDeletedWhenDoneHasEnded() {
    insertOrdered("a1", "a");
    insertOrdered("a2", "a");
    claimIds("me");
    call(connection -> deletingStore().ack(connection, "me", List.of("a1")));
    assertThat(row("a1")).isEmpty();

    assertThat(ids(start("a").events())).containsExactly("a2");
    call(connection -> deletingStore().ack(connection, "starter", List.of("a2")));
    assertThat(start("a")).isEqualTo(Advance.NOTHING);
    assertThat(insertOrdered("a3", "a")).isEqualTo(Placement.FIRST);
  }

  @Test
  default void whatIsMarkedByHandHasEnded() {
    insertOrdered("a1", "a");
    insertOrdered("a2", "a");
    markDone("a1");
    assertThat(ids(start("a").events())).containsExactly("a2");
    markDead("a2", "no");
    assertThat(insertOrdered("a3", "a")).isEqualTo(Placement.BEHIND);
    assertThat(start("a")).isEqualTo(Advance.NOTHING);
  }

  @Test
  default void whatIsRolledBackHasNoPlace() throws SQLException {
    try (Connection connection = beginTransaction()) {
      assertThat(ordered().insert(connection, ordered("a1", "a"), null)).isEqualTo(Placement.FIRST);
      connection.rollback();
      Savepoint savepoint = connection.setSavepoint();
      assertThat(ordered().insert(connection, ordered("a2", "a"), null)).isEqualTo(Placement.FIRST);
      connection.rollback(savepoint);
      assertThat(ordered().insert(connection, ordered("a3", "a"), null)).isEqualTo(Placement.FIRST);
      assertThat(ordered().insert(connection, ordered("a4", "a"), null))
          .isEqualTo(Placement.BEHIND);
      connection.commit();
    }
    assertThat(claimIds("me")).containsExactly("a3");
    ack("me", "a3");
    assertThat(ids(start("a").events())).containsExactly("a4");
    ack("starter", "a4");
    assertThat(start("a")).isEqualTo(Advance.NOTHING);
    assertThat(insertOrdered("a5", "a")).isEqualTo(Placement.FIRST);
  }

  @Test
  default void overlappingTransactionsAreInTheOrderOfTheirCommits() throws Exception {
    try (Connection first = beginTransaction();
        Connection second = beginTransaction()) {
      assertThat(store().inspect(second, List.of("a1"))).isEmpty();
      ordered().insert(first, ordered("a1", "a"), null);
      CompletableFuture<Placement> behind =
          CompletableFuture.supplyAsync(() -> ordered().insert(second, ordered("a2", "a"), null));
      ordered().insert(first, ordered("a3", "a"), null);
      assertThat(behind).isNotDone();
      first.commit();
      assertThat(behind.get(60, TimeUnit.SECONDS)).isEqualTo(Placement.BEHIND);
      second.commit();
    }
    assertThat(handledInTurn("a", 3)).containsExactly("a1", "a3", "a2");
  }

  @Test
  default void aTransactionThatBeganBeforeAnEventWasStoredIsBehindIt() throws SQLException {
    try (Connection early = beginTransaction()) {
      assertThat(store().inspect(early, List.of("a1"))).isEmpty();
      insertOrdered("a1", "a");
      assertThat(ordered().insert(early, ordered("a2", "a"), null)).isEqualTo(Placement.BEHIND);
      early.commit();
    }
    assertThat(handledInTurn("a", 2)).containsExactly("a1", "a2");
  }

  @Test
  default void anEventCommittedAfterTheEndOfItsPredecessorIsStartedByItsPublisher()
      throws SQLException {
    insertOrdered("a1", "a");
    claimIds("me");
    try (Connection publisher = beginTransaction()) {
      assertThat(ordered().insert(publisher, ordered("a2", "a"), null)).isEqualTo(Placement.BEHIND);
      ack("me", "a1");
      assertThat(start("a").events()).isEmpty();
      publisher.commit();
    }
    assertThat(ids(start("a").events())).containsExactly("a2");
  }

  @Test
  default void anEventCommittedBeforeTheEndOfItsPredecessorIsStartedByThatEnd()
      throws SQLException {
    insertOrdered("a1", "a");
    claimIds("me");
    try (Connection completing = beginTransaction()) {
      store().ack(completing, "me", List.of("a1"));
      assertThat(insertOrdered("a2", "a")).isEqualTo(Placement.BEHIND);
      assertThat(start("a").events()).isEmpty();
      completing.commit();
    }
    assertThat(ids(start("a").events())).containsExactly("a2");
  }

  @Test
  default void anEndThatIsRolledBackStartsNothing() throws SQLException {
    insertOrdered("a1", "a");
    insertOrdered("a2", "a");
    claimIds("me");
    try (Connection completing = beginTransaction()) {
      store().ack(completing, "me", List.of("a1"));
      completing.rollback();
    }
    assertThat(start("a").events()).isEmpty();
    assertThat(ack("me", "a1")).containsExactly("a1");
  }

  @Test
  default void anEventIsStartedOnce() throws SQLException {
    insertOrdered("a1", "a");
    insertOrdered("a2", "a");
    claimIds("me");
    ack("me", "a1");
    try (Connection slow = beginTransaction()) {
      assertThat(ids(ordered().advance(slow, new Lease("slow", LEASE), List.of("a")).events()))
          .containsExactly("a2");
      slow.commit();
    }
    assertThat(start("a").events()).isEmpty();
    assertThat(stored("a2").owner()).isEqualTo("slow");
  }

  @Test
  default void aKeyThatATransactionHoldsIsNotIdle() throws SQLException {
    insertOrdered("a1", "a");
    claimIds("me");
    ack("me", "a1");
    try (Connection publisher = beginTransaction()) {
      ordered().insert(publisher, ordered("a2", "a"), null);
      assertThat(start("a")).isEqualTo(Advance.NOTHING);
      publisher.rollback();
    }
    assertThat(insertOrdered("a3", "a")).isEqualTo(Placement.BEHIND);
    assertThat(ids(start("a").events())).containsExactly("a3");
    ack("starter", "a3");
    start("a");
    assertThat(insertOrdered("a4", "a")).isEqualTo(Placement.FIRST);
  }

  @Test
  default void aScheduledEventHoldsItsKeyUntilItIsDue() {
    Instant due = now().plus(Duration.ofHours(1));
    insertOrdered("a1", "a");
    insertPlaced(
        EventEnvelope.builder("Type")
            .eventId("a2")
            .orderingKey("a")
            .dueAt(due)
            .payloadJson("{}")
            .build());
    insertOrdered("a3", "a");
    claimIds("me");
    ack("me", "a1");

    Advance advance = start("a");
    assertThat(advance.events()).isEmpty();
    assertThat(advance.dueTimes()).hasSize(1);
    assertThat(stored("a2").status()).isEqualTo(EventStatus.NEW);
    assertThat(stored("a2").owner()).isNull();
    assertThat(claimIds("me")).isEmpty();
    assertThat(start("a").events()).isEmpty();
    advance(Duration.ofHours(2));
    assertThat(claimIds("me")).containsExactly("a2");
  }

  @Test
  default void anEventThatExpiredWhileItWaitedEnds() {
    insertOrdered("a1", "a");
    insertPlaced(
        EventEnvelope.builder("Type")
            .eventId("a2")
            .orderingKey("a")
            .expiresAt(now().plus(Duration.ofMinutes(1)))
            .payloadJson("{}")
            .build());
    insertOrdered("a3", "a");
    claimIds("me");
    ack("me", "a1");
    advance(Duration.ofMinutes(2));

    Advance advance = start("a");
    assertThat(advance.events()).isEmpty();
    assertThat(advance.ended()).hasSize(1);
    assertThat(stored("a2").status()).isEqualTo(EventStatus.DEAD);
    assertThat(stored("a2").lastError()).isEqualTo(LeasedEventStore.EXPIRED);
    assertThat(release("a2")).containsExactly("a");
    assertThat(ids(start("a").events())).containsExactly("a3");
  }

  @Test
  default void withoutALeaseTheNextEventIsForAnyClaim() {
    insertOrdered("a1", "a");
    insertOrdered("a2", "a");
    claimIds("me");
    ack("me", "a1");

    Advance advance = call(connection -> ordered().advance(connection, null, List.of("a")));
    assertThat(advance.events()).isEmpty();
    assertThat(claimIds("other")).containsExactly("a2");
  }

  @Test
  default void aRepeatedIdempotencyKeyTakesNoPlace() {
    EventEnvelope once =
        EventEnvelope.builder("Type")
            .eventId("a1")
            .orderingKey("a")
            .idempotencyKey("k")
            .payloadJson("{}")
            .build();
    assertThat(insertPlaced(once)).isEqualTo(Placement.FIRST);
    EventEnvelope twice =
        EventEnvelope.builder("Type")
            .eventId("a2")
            .orderingKey("a")
            .idempotencyKey("k")
            .payloadJson("{}")
            .build();
    assertThat(insertPlaced(twice)).isEqualTo(new Placement("a1", false));
    EventEnvelope behind =
        EventEnvelope.builder("Type")
            .eventId("a3")
            .orderingKey("a")
            .idempotencyKey("l")
            .payloadJson("{}")
            .build();
    assertThat(insertPlaced(behind)).isEqualTo(Placement.BEHIND);

    assertThat(handledInTurn("a", 2)).containsExactly("a1", "a3");
    start("a");
    assertThat(insertOrdered("a4", "a")).isEqualTo(Placement.FIRST);
  }

  @Test
  default void insertAllGivesPlacesInItsOrder() {
    List<EventEnvelope> events =
        List.of(ordered("a2", "a"), event("free"), ordered("a1", "a"), ordered("b1", "b"));
    call(connection -> store().insertAll(connection, events, null));

    assertThat(claimIds("me")).containsExactlyInAnyOrder("a2", "b1", "free");
    ack("me", "a2");
    assertThat(ids(start("a").events())).containsExactly("a1");
  }

  @Test
  default void manyKeysAdvanceTogether() {
    List<String> keys = IntStream.range(0, 600).mapToObj(i -> "key" + i).toList();
    try (Connection connection = beginTransaction()) {
      for (String key : keys) {
        ordered().insert(connection, ordered(key + "-1", key), null);
        ordered().insert(connection, ordered(key + "-2", key), null);
      }
      connection.commit();
    } catch (SQLException e) {
      throw new StoreException("contract", e);
    }
    List<String> firsts = ids(claim(request("me", 1000)).events());
    assertThat(firsts).hasSize(600).allMatch(id -> id.endsWith("-1"));
    call(connection -> store().ack(connection, "me", firsts));

    Advance advance = start(keys);
    assertThat(ids(advance.events())).hasSize(600).allMatch(id -> id.endsWith("-2"));
    call(connection -> store().ack(connection, "starter", ids(advance.events())));
    assertThat(start(keys)).isEqualTo(Advance.NOTHING);
    assertThat(insertOrdered("again", "key77")).isEqualTo(Placement.FIRST);
  }

  @Test
  default void aSweepFindsTheKeysThatAreBusyAndForgetsThoseThatAreIdle() {
    insertOrdered("a1", "a");
    insertOrdered("b1", "b");
    insertOrdered("c1", "c");
    claimIds("me");
    ack("me", "b1", "c1");
    start(List.of("b"));

    Sweep first = sweep(null, 2);
    assertThat(first).isEqualTo(new Sweep(List.of("a"), "b"));
    assertThat(sweep(first.next(), 2)).isEqualTo(new Sweep(List.of("c"), null));
    start(List.of("c"));
    assertThat(sweep(null, 3)).isEqualTo(new Sweep(List.of("a"), "c"));
    advance(Duration.ofMinutes(2));
    sweep(null, 3);
    assertThat(sweep(null, 3)).isEqualTo(new Sweep(List.of("a"), null));

    assertThat(insertOrdered("b2", "b")).isEqualTo(Placement.FIRST);
    assertThat(insertOrdered("b3", "b")).isEqualTo(Placement.BEHIND);
    assertThat(insertOrdered("a2", "a")).isEqualTo(Placement.BEHIND);
  }

  @Test
  default void aKeyThatATransactionHoldsIsNotForgotten() throws SQLException {
    insertOrdered("a1", "a");
    claimIds("me");
    ack("me", "a1");
    start("a");
    advance(Duration.ofMinutes(2));
    try (Connection publisher = beginTransaction()) {
      assertThat(ordered().insert(publisher, ordered("a2", "a"), null)).isEqualTo(Placement.FIRST);
      sweep(null, 10);
      publisher.commit();
    }
    assertThat(insertOrdered("a3", "a")).isEqualTo(Placement.BEHIND);
    assertThat(handledInTurn("a", 2)).containsExactly("a2", "a3");
  }

  private OrderedEvents ordered() {
    return requireNonNull(store().ordered(), "this store keeps no order");
  }

  private static EventEnvelope ordered(String eventId, String key) {
    return EventEnvelope.builder("Type")
        .eventId(eventId)
        .orderingKey(key)
        .payloadJson("{}")
        .build();
  }

  private Placement insertOrdered(String eventId, String key) {
    return insertPlaced(ordered(eventId, key));
  }

  private Placement insertPlaced(EventEnvelope event) {
    return call(connection -> ordered().insert(connection, event, null));
  }

  private Advance start(String key) {
    return start(List.of(key));
  }

  private Advance start(Collection<String> keys) {
    Lease lease = new Lease("starter", LEASE);
    return call(connection -> ordered().advance(connection, lease, keys));
  }

  private Collection<String> release(String eventId) {
    return call(connection -> ordered().release(connection, List.of(eventId)));
  }

  private Sweep sweep(@Nullable String after, int limit) {
    return call(connection -> ordered().sweep(connection, after, limit, Duration.ofMinutes(1)));
  }

  /** Claims the first event of the key, ends it and starts the next, so many times. */
  private List<String> handledInTurn(String key, int count) {
    List<String> handled = new java.util.ArrayList<>(claimIds("me"));
    ack("me", handled.get(0));
    for (int i = 1; i < count; i++) {
      String next = ids(start(key).events()).get(0);
      ack("starter", next);
      handled.add(next);
    }
    return handled;
  }
}
