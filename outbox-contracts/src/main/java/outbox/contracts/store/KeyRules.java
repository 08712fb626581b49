package outbox.contracts.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.model.EventStatus;
import outbox.spi.LeasedEventStore.ClaimedEvent;
import outbox.spi.LeasedEventStore.Failure;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.StoreException;

/** A tenant has one event of a key. */
interface KeyRules extends StoreUnderTest {

  @Test
  @Spec({"IDEM-01", "IDEM-02", "IDEM-03", "IDEM-07", "IDEM-08", "IDEM-69"})
  default void anEventWithoutAKeyHasItsIdForOne() {
    insert("a");

    EventStoreContract.Row row = stored("a");
    assertThat(row.idempotencyKey()).isEqualTo("a");
    assertThat(row.doneAt()).isNull();
    assertThat(row.lastError()).isNull();
    ClaimedEvent claimed = claimOnly("me");
    assertThat(claimed.event().idempotencyKey()).isEqualTo("a");
    assertThat(EventEnvelope.of(claimed.event()).hasIdempotencyKey()).isFalse();
  }

  @Test
  @Spec({"IDEM-07", "IDEM-09", "IDEM-69"})
  default void aKeyComesBackAsItWasGiven() {
    String key = "Ä'k\\ " + "x".repeat(59);
    assertThat(insertKeyed("a", "acme", key)).isEmpty();

    assertThat(stored("a").idempotencyKey()).isEqualTo(key);
    assertThat(EventEnvelope.of(claimOnly("me").event()).idempotencyKey()).isEqualTo(key);
  }

  @Test
  @Spec({"IDEM-04", "IDEM-14", "IDEM-70"})
  default void theSecondEventOfAKeyIsLeftOut() {
    assertThat(insertKeyed("first", "acme", "k")).isEmpty();

    assertThat(insertKeyed("second", "acme", "k")).contains("first");
    assertThat(insertKeyed("first", "acme", "k")).contains("first");

    assertThat(row("second")).isEmpty();
    assertThat(claimIds("me")).containsExactly("first");
  }

  @Test
  @Spec({"IDEM-16", "IDEM-71"})
  default void theSameKeyOfTwoTenantsIsTwoEvents() {
    insertKeyed("a", "acme", "k");

    assertThat(insertKeyed("b", "Acme", "k")).isEmpty();
    assertThat(insertKeyed("c", null, "k")).isEmpty();
    assertThat(insertKeyed("d", "acme", "K")).isEmpty();

    assertThat(claimIds("me")).containsExactlyInAnyOrder("a", "b", "c", "d");
  }

  @Test
  default void noTenantCountsAsOne() {
    insertKeyed("a", null, "k");

    assertThat(insertKeyed("b", null, "k")).contains("a");
    assertThat(find(null, "k")).contains("a");
  }

  @Test
  default void theIdOfAnEventWithoutAKeyIsItsKey() {
    insert(EventEnvelope.builder("Type").eventId("a").tenantId("acme").payloadJson("{}").build());
    insertKeyed("b", "acme", "k");

    assertThat(insertKeyed("c", "acme", "a")).contains("a");
    assertThat(find("acme", "a")).contains("a");
    assertThat(find("other", "a")).isEmpty();
    assertThat(insertKeyed("d", "other", "a")).isEmpty();
    assertThat(find("acme", "b")).isEmpty();
    assertThat(insertKeyed("e", "acme", "b")).isEmpty();
    assertThat(insertAllKeyed(keyed("f", "acme", "a"), keyed("g", "acme", "g1")))
        .containsExactly(Map.entry("f", "a"));
  }

  @Test
  @Spec("IDEM-14")
  default void anIdThatIsTakenIsAnErrorAndNoDuplicate() {
    insertKeyed("a", "acme", "k");

    assertThatThrownBy(() -> insertKeyed("a", "acme", "other")).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> insertAllKeyed(keyed("b", "acme", "k2"), keyed("a", "acme", "k3")))
        .isInstanceOf(StoreException.class);
    assertThat(find("acme", "other")).isEmpty();
    assertThat(find("acme", "k2")).isEmpty();
  }

  @Test
  @Spec("IDEM-14")
  default void aDuplicateLeavesTheTransactionUnharmed() throws Exception {
    insertKeyed("first", "acme", "k");

    try (Connection connection = beginTransaction()) {
      store().insertNew(connection, event("before"));
      assertThat(store().insert(connection, keyed("second", "acme", "k"), null)).contains("first");
      assertThat(store().insert(connection, keyed("new", "acme", "k2"), null)).isEmpty();
      assertThat(store().insert(connection, keyed("again", "acme", "k2"), null)).contains("new");
      store().insertNew(connection, event("after"));
      connection.commit();
    }

    assertThat(claimIds("me")).containsExactlyInAnyOrder("first", "before", "new", "after");
  }

  @Test
  default void aKeyThatWasRolledBackIsFree() throws Exception {
    try (Connection connection = beginTransaction()) {
      store().insert(connection, keyed("undone", "acme", "k"), null);
      connection.rollback();
    }

    assertThat(insertKeyed("kept", "acme", "k")).isEmpty();
    assertThat(claimIds("me")).containsExactly("kept");
  }

  @Test
  default void aDuplicateDoesNotTakeTheLease() {
    insertKeyed("first", "acme", "k");

    Optional<String> found =
        call(
            connection ->
                store().insert(connection, keyed("second", "acme", "k"), new Lease("me", LEASE)));

    assertThat(found).contains("first");
    assertThat(stored("first").owner()).isNull();
  }

  @Test
  default void manyAreInsertedButForThoseWhoseKeysAreThere() {
    insertKeyed("a", "acme", "k1");
    insertKeyed("b", null, "k2");

    Map<String, String> firsts =
        insertAllKeyed(
            keyed("c", "acme", "k1"),
            keyed("d", "acme", "k2"),
            event("e"),
            keyed("f", null, "k2"),
            keyed("g", null, "k3"));

    assertThat(firsts).containsOnly(Map.entry("c", "a"), Map.entry("f", "b"));
    assertThat(claimIds("me")).containsExactlyInAnyOrder("a", "b", "d", "e", "g");
  }

  @Test
  @Spec("IDEM-14")
  default void ofManyWithTheSameKeyInOneCallTheFirstIsInserted() {
    insertKeyed("a", "Abc", "k");
    insertKeyed("z", "xyz", "k");
    EventEnvelope[] events =
        IntStream.range(0, 8)
            .mapToObj(i -> keyed("e" + i, i == 1 ? "bcme" : "acme", "k"))
            .toArray(EventEnvelope[]::new);

    Map<String, String> firsts = insertAllKeyed(events);

    assertThat(firsts).hasSize(6).doesNotContainKeys("e0", "e1");
    assertThat(Set.copyOf(firsts.values())).containsExactly("e0");
    assertThat(claimIds("me")).containsExactlyInAnyOrder("a", "z", "e0", "e1");
    assertThat(insertAllKeyed(keyed("f", "acme", "k"), keyed("g", "acme", "k")))
        .containsOnly(Map.entry("f", "e0"), Map.entry("g", "e0"));
  }

  @Test
  @Spec({
    "FRM-47", "IDEM-14", "IDEM-26", "OBX-021", "OBX-022", "OBX-023", "OBX-024", "OBX-025", "OBX-026"
  })
  default void deletingAtOnceKeepsThoseWithAKeyAsDone() {
    insertKeyed("keyed", "acme", "k");
    insertKeyed("by id", "acme", "k2");
    insertKeyed("bystander", "acme", "k3");
    insert("plain", "plain by id");
    insertByOldVersion("old", null);
    claimById("other", "keyed");
    abandon("other", new Failure("keyed", Duration.ZERO, "busy", "[]"));
    assertThat(claimIds("me")).hasSize(6);
    advance(Duration.ofSeconds(20));
    Instant before = now();

    Collection<String> ofAnother =
        call(connection -> deletingStore().ack(connection, "other", List.of("keyed", "plain")));
    assertThat(ofAnother).isEmpty();
    assertThat(stored("keyed").owner()).isEqualTo("me");
    call(connection -> deletingStore().markDone(connection, "by id"));
    call(connection -> deletingStore().markDone(connection, "plain by id"));
    Collection<String> done =
        call(
            connection ->
                deletingStore().ack(connection, "me", List.of("keyed", "plain", "old", "no")));

    assertThat(done).containsExactlyInAnyOrder("keyed", "plain", "old");

    assertThat(row("plain")).isEmpty();
    assertThat(row("plain by id")).isEmpty();
    assertThat(row("old")).isEmpty();
    assertThat(stored("by id").status()).isEqualTo(EventStatus.DONE);
    assertThat(stored("bystander").owner()).isEqualTo("me");
    assertThat(stored("keyed").status()).isEqualTo(EventStatus.DONE);
    assertThat(stored("keyed").processedBy()).isEqualTo("me");
    assertThat(stored("keyed").owner()).isNull();
    assertThat(stored("keyed").lastError()).isNull();
    assertThat(stored("keyed").listeners()).isNull();
    assertThat(stored("keyed").doneAt()).isBetween(before, now());
    assertThat(stored("by id").doneAt()).isBetween(before, now());
    assertThat(insertKeyed("again", "acme", "k")).contains("keyed");
    advance(PAST_LEASE);
    assertThat(claimIds("other")).containsExactly("bystander");
  }

  @Test
  @Spec("IDEM-61")
  default void anEventWithoutAnyKeyIsHandledAsOneWithItsId() {
    insertByOldVersion("old", null);

    ClaimedEvent claimed = claimOnly("me");

    assertThat(claimed.event().idempotencyKey()).isIn(null, "old");
    assertThat(EventEnvelope.of(claimed.event()).idempotencyKey()).isEqualTo("old");
    assertThat(find(null, "old")).contains("old");
    assertThat(ack("me", "old")).containsExactly("old");
  }

  private EventEnvelope keyed(String eventId, @Nullable String tenantId, String key) {
    return EventEnvelope.builder("Type")
        .eventId(eventId)
        .tenantId(tenantId)
        .idempotencyKey(key)
        .payloadJson("{}")
        .build();
  }

  private Optional<String> insertKeyed(String eventId, @Nullable String tenantId, String key) {
    return call(connection -> store().insert(connection, keyed(eventId, tenantId, key), null));
  }

  private Map<String, String> insertAllKeyed(EventEnvelope... events) {
    return call(connection -> store().insertAll(connection, List.of(events), null));
  }

  private Optional<String> find(@Nullable String tenantId, String key) {
    return call(connection -> store().findByKey(connection, tenantId, key));
  }
}
