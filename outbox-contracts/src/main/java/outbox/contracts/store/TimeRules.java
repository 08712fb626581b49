package outbox.contracts.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.model.OutboxEvent;

/** Instants are instants, whatever zones the machines and sessions are in. */
interface TimeRules extends StoreUnderTest {

  @Test
  @Spec("OBX-009")
  default void theDatabasesClockSaysWhenAnEventWasCreated() {
    advance(Duration.ofDays(400));
    Instant before = now();

    insert("a");

    assertThat(stored("a").createdAt()).isBetween(before, now());
    assertThat(stored("a").availableAt()).isBetween(before, now());
    assertThat(claimOnly("me").event().createdAt()).isEqualTo(stored("a").createdAt());
  }

  @Test
  default void eachStatementOfATransactionHasItsOwnNow() throws SQLException {
    try (Connection connection = beginTransaction()) {
      store().insertNew(connection, event("a"));
      Instant between = now();

      store().insertNew(connection, event("b"));
      connection.commit();

      assertThat(stored("a").createdAt()).isBeforeOrEqualTo(between);
      assertThat(stored("b").createdAt()).isAfterOrEqualTo(between);
    }
  }

  @Test
  default void instantsAreKeptToTheMicrosecond() {
    Instant instant = Instant.parse("2026-07-08T09:10:11.123456789Z");

    insert(at("a", instant));

    OutboxEvent claimed = claimOnly("me").event();
    assertThat(claimed.occurredAt()).isEqualTo(Instant.parse("2026-07-08T09:10:11.123456Z"));
    assertThat(claimed.dueAt()).isEqualTo(Instant.parse("2020-01-01T00:00:00.000001Z"));
    assertThat(claimed.expiresAt()).isEqualTo(Instant.parse("2126-06-14T09:10:11.123456Z"));
  }

  @Test
  default void theSessionsTimeZoneChangesNothing() throws SQLException {
    Instant instant = Instant.parse("2026-07-08T09:10:11.123456Z");
    Instant before = now();
    try (Connection east = open("+05:45");
        Connection west = open("-09:30")) {
      store().insertNew(east, at("a", instant));

      OutboxEvent claimed = store().claim(west, request("me", 10)).events().get(0).event();

      assertThat(claimed.occurredAt()).isEqualTo(instant);
      assertThat(claimed.dueAt()).isEqualTo(Instant.parse("2020-01-01T00:00:00.000001Z"));
      assertThat(claimed.createdAt()).isBetween(before, now());
      assertThat(stored("a").availableAt()).isBetween(before.plus(LEASE), now().plus(LEASE));
      assertThat(store().claim(east, request("other", 10)).events()).isEmpty();
      assertThat(store().ack(east, "me", List.of("a"))).containsExactly("a");
      assertThat(stored("a").doneAt()).isBetween(before, now());
    }
  }

  @Test
  default void aRetryTimeMeansTheSameInEverySession() throws SQLException {
    insert("a");
    Instant next = Instant.parse("2030-03-31T01:30:00.000001Z");
    try (Connection east = open("+05:45")) {
      assertThat(store().markRetry(east, "a", next, "busy")).isEqualTo(1);
    }
    assertThat(stored("a").availableAt()).isEqualTo(next);
  }

  @Test
  default void theHoursInWhichClocksAreTurnedAreKept() {
    TimeZone before = TimeZone.getDefault();
    try {
      TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
      List<String> hours =
          List.of(
              "2025-03-30T00:30:00Z",
              "2025-03-30T01:30:00Z",
              "2025-10-26T00:30:00Z",
              "2025-10-26T01:30:00Z");
      for (String hour : hours) {
        insert(at(hour, Instant.parse(hour)));
        assertThat(claimOnly("me").event().occurredAt()).isEqualTo(Instant.parse(hour));
      }
    } finally {
      TimeZone.setDefault(before);
    }
  }

  private EventEnvelope at(String id, Instant occurredAt) {
    return EventEnvelope.builder("Type")
        .eventId(id)
        .payloadJson("{}")
        .occurredAt(occurredAt)
        .dueAt(Instant.parse("2020-01-01T00:00:00.000001Z"))
        .expiresAt(occurredAt.plus(Duration.ofDays(36_500)))
        .build();
  }
}
