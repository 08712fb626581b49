package outbox.admin.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.model.EventStatus;

/** Which events the views show, in which order, and what a line tells. */
abstract class EventListRules {

  abstract Workshop shop();

  @Test
  @Spec({"IDEM-52", "IDEM-85"})
  void pendingAreListedInTheOrderOfTheirTurn() {
    String first = shop().pending("A");
    String second = shop().pending("A");
    String retried = shop().retried("A", "no route");
    shop().done("A");
    shop().dead("A", "broken");
    assertThat(ids(EventView.PENDING)).containsExactly(first, second, retried);
  }

  @Test
  @Spec({"IDEM-52", "IDEM-85"})
  void failedAreThoseThatAreTriedAgainAndThenTheDead() {
    shop().pending("A");
    String dead = shop().dead("A", "broken");
    String retried = shop().retried("A", "no route");
    String deadLater = shop().dead("A", "broken");
    shop().done("A");
    assertThat(ids(EventView.FAILED)).containsExactly(retried, deadLater, dead);
    assertThat(ids(EventView.DEAD)).containsExactly(deadLater, dead);
  }

  @Test
  @Spec("IDEM-52")
  void processedAreListedFromTheLastOneOnWhetherTheirPayloadIsThereOrNot() {
    String cleared = shop().done("A");
    shop().database().execute("UPDATE outbox_event SET payload_text = NULL, kept = 0");
    String first = shop().done("A");
    String last = shop().done("A");
    shop().pending("A");
    assertThat(ids(EventView.PROCESSED)).containsExactly(last, first, cleared);
  }

  @Test
  void leasedAreThoseThatAWorkerHolds() {
    String leased = shop().leased("A");
    String lost = shop().taken(shop().pending("A"), Duration.ofNanos(1000));
    shop().pending("A");
    assertThat(ids(EventView.LEASED)).containsExactly(leased);
    EventRow row = row(leased);
    assertThat(row.leased()).isTrue();
    assertThat(row.owner()).isEqualTo(Workshop.OWNER.value());
    assertThat(row(lost).leased()).isFalse();
    assertThat(row(lost).owner()).isEqualTo(Workshop.OWNER.value());
  }

  @Test
  void onlyALiveEventWithAHolderInTimeIsSaidToBeLeased() {
    List<String> ids =
        List.of(shop().pending("A"), shop().pending("A"), shop().pending("A"), shop().pending("A"));
    shop().leaseTheFirst(ids);
    shop().done("A");
    for (EventView view : EventView.values()) {
      boolean shown = Set.of(EventView.PENDING, EventView.LEASED, EventView.ALL).contains(view);
      assertThat(shop().operated().events().list(EventQuery.of(view)).items())
          .as("%s", view)
          .isNotEmpty()
          .filteredOn(EventRow::leased)
          .extracting(EventRow::id)
          .isEqualTo(shown ? ids.subList(0, 1) : List.of());
    }
    assertThat(ids)
        .filteredOn(id -> shop().operated().events().find(id, false).orElseThrow().row().leased())
        .containsExactly(ids.get(0));
  }

  @Test
  void leasedAreFoundByNodeProcessAndClaim() {
    String wanted = shop().leased("A");
    String other = shop().leased("A");
    shop()
        .database()
        .execute(
            "UPDATE outbox_event SET owner_token = 'node-10.ABCDEFGHJK.7' WHERE event_id = '"
                + other
                + "'");
    EventQuery query = EventQuery.of(EventView.LEASED);
    for (String owner : List.of("node-1", "node-1.ABCDEFGHJK", "node-1.ABCDEFGHJK.7")) {
      assertThat(ids(query.owner(owner))).containsExactly(wanted);
    }
    assertThat(ids(query.owner("node-10"))).containsExactly(other);
    for (String owner : List.of("node", "ode-1", "node-1.", "%", "NODE-1")) {
      assertThat(ids(query.owner(owner))).isEmpty();
    }
    assertThatExceptionOfType(InvalidQueryException.class)
        .isThrownBy(() -> EventQuery.of(EventView.ALL).owner("node-1"))
        .satisfies(e -> assertThat(e.field()).isEqualTo("owner"));
  }

  @Test
  void scheduledAreThoseThatAreNotDueYet() {
    Instant tomorrow = Instant.now().plus(Duration.ofDays(1));
    String scheduled =
        shop().store(EventEnvelope.builder("A").payloadJson("{}").dueAt(tomorrow).build());
    String retried = shop().retried("A", "no route");
    shop().leased("A");
    shop().pending("A");
    assertThat(ids(EventView.SCHEDULED)).containsExactly(retried, scheduled);
  }

  @Test
  void allAreListedFromTheLastOneOn() {
    List<String> stored =
        List.of(shop().pending("A"), shop().done("A"), shop().dead("A", "x"), shop().leased("A"));
    assertThat(ids(EventView.ALL)).containsExactlyInAnyOrderElementsOf(stored);
    assertThat(ids(EventView.ALL)).isSortedAccordingTo((one, other) -> other.compareTo(one));
  }

  @Test
  @Spec("IDEM-53")
  void everyViewIsFilteredByTopic() {
    String pending = shop().pending("A");
    String retried = shop().retried("A", "no route");
    String dead = shop().dead("A", "no route");
    String done = shop().done("A");
    shop().pending("B");
    shop().retried("B", "no route");
    shop().dead("B", "no route");
    shop().done("B");
    Map<EventView, List<String>> expected =
        Map.of(
            EventView.PENDING, List.of(pending, retried),
            EventView.FAILED, List.of(retried, dead),
            EventView.PROCESSED, List.of(done),
            EventView.DEAD, List.of(dead),
            EventView.SCHEDULED, List.of(retried));
    expected.forEach((view, ids) -> assertThat(ids(EventQuery.of(view).topic("A"))).isEqualTo(ids));
    assertThat(ids(EventQuery.of(EventView.ALL).topic("A")))
        .containsExactlyInAnyOrder(pending, retried, dead, done);
  }

  @Test
  void conditionsAreAllToBeMet() {
    String wanted = shop().dead(envelope("t1", "c1"), "refused by 10.0.0.7");
    shop().dead(envelope("t2", "c1"), "refused by 10.0.0.7");
    shop().dead(envelope("t1", "c2"), "refused by 10.0.0.7");
    shop().dead(envelope("t1", "c1"), "Refused by 10.0.0.7");
    EventQuery query =
        EventQuery.of(EventView.DEAD).tenant("t1").correlation("c1").error("refused by");
    assertThat(ids(query)).containsExactly(wanted);
    assertThat(ids(query.from(Instant.now().minusSeconds(600)).to(Instant.now().plusSeconds(600))))
        .containsExactly(wanted);
    assertThat(ids(query.from(Instant.now().plusSeconds(600)))).isEmpty();
    assertThat(ids(query.to(Instant.now().minusSeconds(600)))).isEmpty();
  }

  @Test
  void timesAreThoseOfStoringOrOfTheEnd() {
    String done = shop().done("A");
    String pending = shop().pending("A");
    shop().database().execute("UPDATE outbox_event SET created_at = " + daysAgo(2));
    Instant yesterday = Instant.now().minus(Duration.ofDays(1));
    assertThat(ids(EventQuery.of(EventView.PROCESSED).from(yesterday))).containsExactly(done);
    assertThat(ids(EventQuery.of(EventView.PROCESSED).to(yesterday))).isEmpty();
    assertThat(ids(EventQuery.of(EventView.PENDING).to(yesterday))).containsExactly(pending);
    assertThat(ids(EventQuery.of(EventView.PENDING).from(yesterday))).isEmpty();
    assertThat(ids(EventQuery.of(EventView.ALL).from(yesterday))).isEmpty();
  }

  private String daysAgo(int days) {
    return switch (shop().database().product()) {
      case MARIADB, MYSQL, MYSQL_BY_MARIADB_DRIVER ->
          "UTC_TIMESTAMP(6) - INTERVAL " + days + " DAY";
      case H2, H2_OLDEST, H2_SPRING_BOOT -> "DATEADD(DAY, -" + days + ", CURRENT_TIMESTAMP)";
      default -> "now() - INTERVAL '" + days + " days'";
    };
  }

  @Test
  @Spec("IDEM-54")
  void aLineHasASnippetOfTheErrorAndNothingOfThePayload() {
    EventEnvelope event =
        EventEnvelope.builder("order.placed")
            .aggregateType("Order")
            .aggregateId("17")
            .tenantId("t1")
            .correlationId("c1")
            .idempotencyKey("k1")
            .payloadJson("{\"secret\":1}")
            .build();
    String id = shop().dead(event, "x".repeat(1000));
    EventRow row = row(id);
    assertThat(row.topic()).isEqualTo("order.placed");
    assertThat(row.aggregateType()).isEqualTo("Order");
    assertThat(row.aggregateId()).isEqualTo("17");
    assertThat(row.tenant()).isEqualTo("t1");
    assertThat(row.correlationId()).isEqualTo("c1");
    assertThat(row.idempotencyKey()).isEqualTo("k1");
    assertThat(row.status()).isEqualTo(EventStatus.DEAD);
    assertThat(row.attempts()).isEqualTo(1);
    assertThat(row.errorSnippet()).isEqualTo("x".repeat(EventRow.SNIPPET));
    assertThat(row.createdAt())
        .isBetween(Instant.now().minusSeconds(600), Instant.now().plusSeconds(60));
    assertThat(row.processedAt()).isNull();
    assertThat(row.toString()).doesNotContain("secret");
  }

  @Test
  @Spec("IDEM-54")
  void aLineSaysWhenItsEventWasStoredAndWhenProcessed() {
    String id = shop().done("A");
    shop().database().execute("UPDATE outbox_event SET created_at = " + daysAgo(2));

    EventRow row = row(id);

    Instant yesterday = Instant.now().minus(Duration.ofDays(1));
    assertThat(row.createdAt()).isBefore(yesterday);
    assertThat(row.processedAt()).isBetween(yesterday, Instant.now().plusSeconds(60));
    assertThat(row.attempts()).isZero();
    assertThat(row.errorSnippet()).isNull();
  }

  @Test
  void whatLooksLikeSqlIsOnlyText() {
    String id = shop().pending("A");
    for (String text :
        List.of(
            "' OR '1'='1",
            "A'; DROP TABLE outbox_event; --",
            "%",
            "_",
            "\\",
            "\"",
            ":topic",
            "?")) {
      EventQuery query = EventQuery.of(EventView.PENDING);
      assertThat(ids(query.topic(text))).isEmpty();
      assertThat(ids(query.tenant(text))).isEmpty();
      assertThat(ids(query.correlation(text))).isEmpty();
      assertThat(ids(query.error(text))).isEmpty();
      assertThat(shop().operated().events().find(text, true)).isEmpty();
    }
    assertThat(ids(EventView.PENDING)).containsExactly(id);
  }

  private static EventEnvelope envelope(String tenant, String correlation) {
    return EventEnvelope.builder("A")
        .tenantId(tenant)
        .correlationId(correlation)
        .payloadJson("{}")
        .build();
  }

  private EventRow row(String id) {
    return shop().operated().events().list(EventQuery.of(EventView.ALL)).items().stream()
        .filter(row -> row.id().equals(id))
        .findFirst()
        .orElseThrow();
  }

  private List<String> ids(EventView view) {
    return ids(EventQuery.of(view));
  }

  private List<String> ids(EventQuery query) {
    return shop().operated().events().list(query).items().stream().map(EventRow::id).toList();
  }
}
