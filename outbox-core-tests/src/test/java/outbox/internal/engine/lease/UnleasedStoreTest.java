package outbox.internal.engine.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.ClaimedEvent;
import outbox.spi.LeasedEventStore.Failure;
import outbox.spi.LeasedEventStore.Lease;
import outbox.testing.memory.InMemoryEventStore;
import outbox.testing.memory.StoredEvent;

class UnleasedStoreTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final InMemoryEventStore plain = new InMemoryEventStore();
  private final UnleasedStore store = new UnleasedStore(plain, "me");

  @SuppressWarnings("NullAway.Init")
  private Connection connection;

  @BeforeEach
  void open() throws Exception {
    connection = plain.connections().getConnection();
  }

  @AfterEach
  void close() throws Exception {
    connection.close();
  }

  @Test
  void everyWayOfInsertingLeavesARowThatIsFree() {
    EventEnvelope one = EventEnvelope.ofJson("Any", "{}");
    EventEnvelope leased = EventEnvelope.ofJson("Any", "{}");
    EventEnvelope many = EventEnvelope.ofJson("Any", "{}");

    store.insertNew(connection, one);
    assertThat(store.insert(connection, leased, new Lease("me", HOUR))).isEmpty();
    assertThat(store.insertAll(connection, List.of(many), new Lease("me", HOUR))).isEmpty();

    assertThat(plain.findAll())
        .extracting(row -> row.event().eventId())
        .containsExactlyInAnyOrder(one.eventId(), leased.eventId(), many.eventId());
    assertThat(plain.findAll()).allMatch(row -> row.owner() == null);
  }

  @Test
  void methodsOfThePlainStoreAreThose() {
    String done = insert();
    String retried = insert();
    String dead = insert();
    Instant later = Instant.now().plus(HOUR);
    store.check(connection);

    assertThat(store.markDone(connection, done)).isEqualTo(1);
    assertThat(store.markRetry(connection, retried, later, "busy")).isEqualTo(1);
    assertThat(store.markDead(connection, dead, "broken")).isEqualTo(1);

    assertThat(stored(done).status()).isEqualTo(EventStatus.DONE);
    assertThat(stored(retried).lastError()).isEqualTo("busy");
    assertThat(stored(dead).lastError()).isEqualTo("broken");
    assertThat(store.markDone(connection, done)).isZero();
    assertThat(store.markRetry(connection, done, later, null)).isZero();
    assertThat(store.markDead(connection, done, null)).isZero();
    String free = insert();
    assertThat(store.pollPending(connection, Instant.now(), Duration.ZERO, 10))
        .extracting(OutboxEvent::eventId)
        .containsExactly(free);
    assertThat(store.inTransaction(connection, () -> "done")).isEqualTo("done");
  }

  @Test
  void claimBringsAsManyAsAskedForAndNoneThatIsPutOff() {
    List<String> putOff = List.of(insert(), insert());
    List<String> free = List.of(insert(), insert(), insert());

    assertThat(store.defer(connection, "me", putOff, HOUR, null))
        .containsExactlyInAnyOrderElementsOf(putOff);

    assertThat(claimed(2)).hasSize(2).isSubsetOf(free);
    assertThat(claimed(10)).containsExactlyInAnyOrderElementsOf(free);
  }

  @Test
  void whatIsPutOffComesAgainAfterItsDelayAndWhatIsGivenBackAtOnce() {
    String putOff = insert();
    String givenBack = insert();
    store.defer(connection, "me", List.of(putOff), Duration.ofMillis(1), null);
    store.defer(connection, "me", List.of(givenBack), Duration.ZERO, null);

    assertThat(claimed(10)).contains(givenBack);
    await().atMost(Duration.ofSeconds(30)).until(() -> claimed(10).contains(putOff));
  }

  @Test
  void statesOfListenersAreRememberedUntilTheEventHasEnded() {
    String deferred = insert();
    String failed = insert();
    String dead = insert();
    store.defer(connection, "me", List.of(deferred), Duration.ZERO, "a=done");
    store.abandon(connection, "me", List.of(failure(failed, "b=failed")));
    store.abandon(connection, "me", List.of(failure(dead, "c=failed")));
    assertThat(List.of(states(deferred), states(failed), states(dead)))
        .containsExactly("a=done", "b=failed", "c=failed");

    store.defer(connection, "me", List.of(deferred), Duration.ZERO, null);
    assertThat(states(deferred)).isEqualTo("a=done");
    assertThat(store.ack(connection, "me", List.of(deferred))).containsExactly(deferred);
    assertThat(store.fail(connection, "me", List.of(failure(dead, null)))).containsExactly(dead);

    assertThat(stored(dead).status()).isEqualTo(EventStatus.DEAD);
    assertThat(stored(deferred).status()).isEqualTo(EventStatus.DONE);
    assertThat(states(failed)).isEqualTo("b=failed");
  }

  @Test
  void whatHasEndedSinceTheLastClaimIsSettled() {
    String done = insert();
    String dead = insert();
    String retried = insert();

    store.ack(connection, "me", List.of(done));
    store.fail(connection, "me", List.of(failure(dead, null)));
    store.abandon(connection, "me", List.of(failure(retried, null)));

    assertThat(store.isSettled(done)).isTrue();
    assertThat(store.isSettled(dead)).isTrue();
    assertThat(store.isSettled(retried)).isFalse();
    assertThat(claimed(10)).containsExactly(retried);
    assertThat(store.isSettled(done)).isFalse();
  }

  @Test
  void tellsWhatReallyChanged() {
    String live = insert();
    String done = insert();
    store.ack(connection, "me", List.of(done));

    assertThat(store.ack(connection, "me", List.of(done))).isEmpty();
    assertThat(store.fail(connection, "me", List.of(failure(done, null)))).isEmpty();
    assertThat(
            store.abandon(connection, "me", List.of(failure(done, "a=done"), failure(live, null))))
        .containsExactly(live);
    assertThat(stored(live).status()).isEqualTo(EventStatus.RETRY);
    assertThat(stored(live).lastError()).isEqualTo("busy");
  }

  @Test
  void whateverThisProcessWorksOnCountsAsItsOwn() {
    List<String> ids = List.of("a", "b");

    assertThat(store.renew(connection, "me", ids, HOUR)).isEqualTo(Set.of("a", "b"));
    assertThat(store.markStarted(connection, "me", ids, HOUR)).isEqualTo(Set.of("a", "b"));
    assertThat(store.inspect(connection, ids)).containsOnlyKeys("a", "b");
    assertThat(store.inspect(connection, ids).get("a"))
        .satisfies(row -> assertThat(row.status()).isEqualTo(EventStatus.DONE))
        .satisfies(row -> assertThat(row.processedBy()).isEqualTo("me"));
    assertThat(store.reapExpired(connection, HOUR, 10, 10)).isZero();
    Instant before = Instant.now();
    assertThat(store.now(connection)).isBetween(before, Instant.now());
  }

  @Test
  void refusesWhatNeedsLeasesOrKeys() {
    List<String> ids = List.of("a");
    assertThatThrownBy(() -> store.claimById(connection, "me", HOUR, ids))
        .hasMessageContaining("no leases");
    assertThatThrownBy(() -> store.findByKey(connection, null, "key")).hasMessageContaining("keys");
    assertThatThrownBy(() -> store.backlog(connection, 1)).hasMessageContaining("LeasedEventStore");
    assertThatThrownBy(() -> store.purgeDone(connection, HOUR, 1))
        .hasMessageContaining("LeasedEventStore");
    assertThatThrownBy(() -> store.deadLetter(connection, "a"))
        .hasMessageContaining("LeasedEventStore");
  }

  private String insert() {
    EventEnvelope event = EventEnvelope.ofJson("Any", "{}");
    store.insertNew(connection, event);
    return event.eventId();
  }

  private StoredEvent stored(String id) {
    return plain.find(id).orElseThrow();
  }

  private static Failure failure(String id, @Nullable String listeners) {
    return new Failure(id, Duration.ZERO, "busy", listeners);
  }

  private List<String> claimed(int limit) {
    return claim(limit).stream().map(claimed -> claimed.event().eventId()).toList();
  }

  private List<ClaimedEvent> claim(int limit) {
    ClaimRequest request = new ClaimRequest("me", HOUR, limit, Long.MAX_VALUE, null, Duration.ZERO);
    return store.claim(connection, request).events();
  }

  private @Nullable String states(String id) {
    Optional<ClaimedEvent> found =
        claim(10).stream().filter(claimed -> claimed.event().eventId().equals(id)).findFirst();
    return found.orElseThrow().listeners();
  }
}
