package outbox.contracts.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.model.EventStatus;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.ClaimedEvent;
import outbox.spi.LeasedEventStore.Lease;

/** Whichever way an event is inserted, its row is the same. */
interface InsertRules extends StoreUnderTest {

  @Test
  @Spec({"FRM-26", "OBX-001", "OBX-007", "OBX-009", "OBX-010"})
  default void everyInsertKeepsAllFieldsAndIsDatedByTheDatabase() {
    advance(Duration.ofDays(400));
    Map<String, EventEnvelope> inserted = new HashMap<>();
    for (Way way : Way.values()) {
      EventEnvelope event =
          way.of(way.name())
              .aggregateType("Order")
              .aggregateId("order-1")
              .tenantId("tenant-1")
              .correlationId("trace-1")
              .header("a", "1")
              .occurredAt(Instant.parse("2026-01-02T03:04:05.678901Z"))
              .dueAt(Instant.parse("2020-01-02T03:04:05.678901Z"))
              .expiresAt(Instant.parse("2099-01-02T03:04:05.678901Z"))
              .build();
      inserted.put(event.eventId(), event);
      Instant before = now();

      insert(way, event);

      EventStoreContract.Row row = stored(event.eventId());
      assertThat(row.createdAt()).as("%s", way).isBetween(before, now());
      assertThat(row.availableAt()).as("%s", way).isBetween(before, now());
      assertThat(row.status()).as("%s", way).isEqualTo(EventStatus.NEW);
      assertThat(row.attempts()).as("%s", way).isZero();
      assertThat(row.leaseExpiries()).as("%s", way).isZero();
      assertThat(row.doneAt()).as("%s", way).isNull();
      assertThat(row.owner()).as("%s", way).isNull();
      assertThat(row.processedBy()).as("%s", way).isNull();
      assertThat(row.lastError()).as("%s", way).isNull();
      assertThat(row.idempotencyKey()).as("%s", way).isEqualTo(event.idempotencyKey());
    }

    List<ClaimedEvent> claimed = claim("me");
    assertThat(ids(claimed)).containsExactlyInAnyOrderElementsOf(inserted.keySet());
    for (ClaimedEvent claim : claimed) {
      assertThat(EventEnvelope.of(claim.event()))
          .usingRecursiveComparison()
          .isEqualTo(inserted.get(claim.event().eventId()));
    }
  }

  @Test
  @Spec({"OBX-006", "OBX-012"})
  default void everyInsertOfAnEventThatIsDueLaterKeepsItUntilThen() {
    Instant due = now().plusSeconds(600).truncatedTo(ChronoUnit.MICROS);
    for (Way way : Way.values()) {
      insert(way, way.of(way.name()).dueAt(due).build());

      assertThat(stored(way.name()).availableAt()).as("%s", way).isEqualTo(due);
    }

    stopAt(due.minus(1, ChronoUnit.MICROS));
    assertThat(claim("me")).isEmpty();
    stopAt(due);
    assertThat(claim("me")).hasSize(Way.values().length);
  }

  @Test
  @Spec({"OBX-009", "OBX-014", "OBX-015"})
  default void anEventInsertedWithALeaseHasItFromTheDatabasesNowOn() {
    advance(Duration.ofDays(400));
    for (Way way : EnumSet.complementOf(EnumSet.of(Way.BY_THE_PLAIN_STORE))) {
      Instant before = now();

      insert(way, way.of(way.name()).build(), new Lease("publisher", LEASE));

      EventStoreContract.Row row = stored(way.name());
      assertThat(row.owner()).as("%s", way).isEqualTo("publisher");
      assertThat(row.createdAt()).as("%s", way).isBetween(before, now());
      assertThat(row.availableAt()).as("%s", way).isBetween(before.plus(LEASE), now().plus(LEASE));
    }
  }

  private void insert(Way way, EventEnvelope event) {
    insert(way, event, null);
  }

  private void insert(Way way, EventEnvelope event, @Nullable Lease lease) {
    int unused =
        call(
            connection -> {
              way.insert(store(), connection, event, lease);
              return 0;
            });
  }

  /** Each has a statement of its own, somewhere. */
  enum Way {
    BY_THE_PLAIN_STORE(false),
    ALONE(false),
    WITH_KEY(true),
    TOGETHER(false),
    TOGETHER_WITH_KEY(true);

    private final boolean keyed;

    Way(boolean keyed) {
      this.keyed = keyed;
    }

    EventEnvelope.Builder of(String eventId) {
      return EventEnvelope.builder("Type")
          .eventId(eventId)
          .idempotencyKey(keyed ? "key of " + eventId : null)
          .payloadJson("{\"id\": 1}");
    }

    void insert(
        LeasedEventStore store, Connection connection, EventEnvelope event, @Nullable Lease lease) {
      switch (this) {
        case BY_THE_PLAIN_STORE -> store.insertNew(connection, event);
        case ALONE, WITH_KEY -> store.insert(connection, event, lease);
        case TOGETHER, TOGETHER_WITH_KEY -> store.insertAll(connection, List.of(event), lease);
      }
    }
  }
}
