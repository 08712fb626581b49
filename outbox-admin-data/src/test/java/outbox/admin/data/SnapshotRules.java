package outbox.admin.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.admin.metrics.Count;
import outbox.admin.metrics.HealthThresholds;
import outbox.admin.metrics.MetricsSnapshot;
import outbox.contracts.support.Spec;
import outbox.inbox.InboxKey;
import outbox.metrics.Activity;

/** What a snapshot counts, and what else a database tells of itself. */
abstract class SnapshotRules {

  abstract Workshop shop();

  @Test
  @Spec({"IDEM-44", "IDEM-45", "IDEM-49", "IDEM-55", "IDEM-86"})
  void everyStateIsCounted() {
    shop().pending("A");
    shop().leased("A");
    String often = shop().pending("B");
    for (int i = 0; i < OperatedDatabase.DEFAULT_OLD_FAILURES; i++) {
      shop().retried(often, "no route", Duration.ZERO);
    }
    shop().retried("B", "no route");
    schedule(Duration.ofDays(1));
    shop().dead("A", "broken");
    shop().done("A");
    MetricsSnapshot snapshot = shop().operated().snapshot();
    assertThat(snapshot.backlog()).isEqualTo(Count.exactly(3));
    assertThat(snapshot.failedPending()).isEqualTo(Count.exactly(2));
    assertThat(snapshot.oldFailures()).isEqualTo(Count.exactly(1));
    assertThat(snapshot.leased()).isEqualTo(Count.exactly(1));
    assertThat(snapshot.scheduled()).isEqualTo(Count.exactly(2));
    assertThat(snapshot.dead()).isEqualTo(Count.exactly(1));
    assertThat(snapshot.topics())
        .extracting(MetricsSnapshot.Group::name)
        .containsExactlyInAnyOrder("A", "B", "S");
    assertThat(configured().oldFailures(1).build().snapshot().oldFailures())
        .isEqualTo(Count.exactly(2));
    shop().taken(often);
    MetricsSnapshot taken = shop().operated().snapshot();
    assertThat(taken.backlog()).isEqualTo(Count.exactly(3));
    assertThat(taken.failedPending()).isEqualTo(Count.exactly(2));
    assertThat(taken.oldFailures()).isEqualTo(Count.exactly(1));
    assertThat(taken.leased()).isEqualTo(Count.exactly(2));
  }

  @Test
  @Spec("IDEM-87")
  void anOldFailureHasFailedAsOftenAsTheThresholdSays() {
    String twice = shop().pending("A");
    shop().retried(twice, "no route", Duration.ZERO);
    shop().retried(twice, "no route", Duration.ZERO);
    assertThat(shop().operated().snapshot().oldFailures()).isEqualTo(Count.exactly(0));
    assertThat(configured().oldFailures(2).build().snapshot().oldFailures())
        .isEqualTo(Count.exactly(1));
  }

  @Test
  @Spec({"IDEM-58", "IDEM-87"})
  void throughputAndFailureRatioAreThoseOfTheWindow() {
    shop().done("A");
    shop().database().execute("UPDATE outbox_event SET done_at = " + shop().minutesAgo(10));
    assertThat(shop().operated().snapshot().activity().processed()).isZero();
    Duration hour = Duration.ofHours(1);
    assertThat(configured().window(hour).build().snapshot().activity())
        .isEqualTo(new Activity(hour, 1, 0));
  }

  @Test
  @Spec("IDEM-87")
  void refusesAThresholdOrAWindowThatMeansNothing() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> configured().oldFailures(0))
        .withMessage("oldFailures (0) must be 1 or more");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> configured().window(Duration.ZERO))
        .withMessage("window (PT0S) must be positive");
  }

  private OperatedDatabase.Builder configured() {
    return OperatedDatabase.builder("orders", shop().database().dataSource());
  }

  @Test
  void anEmptyTableIsAllZero() {
    MetricsSnapshot snapshot = shop().operated().snapshot();
    assertThat(snapshot.backlog()).isEqualTo(Count.exactly(0));
    assertThat(snapshot.dead()).isEqualTo(Count.exactly(0));
    assertThat(snapshot.oldestAge()).isZero();
    assertThat(snapshot.activity().throughputPerSecond()).isZero();
    assertThat(snapshot.at())
        .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
  }

  @Test
  @Spec({"IDEM-46", "IDEM-50"})
  void theOldestAgeIsThatOfTheOldestMessageThatCouldHaveBeenHandled() {
    shop().pending("A");
    schedule(Duration.ofDays(1));
    shop().database().execute("UPDATE outbox_event SET created_at = " + shop().minutesAgo(10));
    assertThat(shop().operated().snapshot().oldestAge())
        .isBetween(Duration.ofMinutes(10), Duration.ofMinutes(15));
  }

  @Test
  @Spec({"IDEM-46", "IDEM-50"})
  void theOldestMayWaitForItsTurnOrForItsNextAttemptOrBeHandledNow() {
    Map<String, Runnable> states =
        Map.of(
            "pending", () -> shop().pending("A"),
            "leased", () -> shop().leased("A"),
            "due again",
                () -> shop().retried(shop().pending("A"), "no route", Duration.ofMillis(1)),
            "retried later", () -> shop().retried("A", "no route"));
    states.forEach(
        (state, bring) -> {
          shop().clear();
          shop().pending("B");
          bring.run();
          store("created_at = " + shop().minutesAgo(10) + " WHERE event_type = 'A'");
          shop().pending("A");

          assertThat(shop().operated().snapshot().oldestAge())
              .as(state)
              .isBetween(Duration.ofMinutes(10), Duration.ofMinutes(15));
        });
  }

  @Test
  @Spec("IDEM-46")
  void whatHasEndedHasNoAge() {
    shop().done("A");
    shop().dead("A", "broken");
    store("created_at = " + shop().minutesAgo(10));
    assertThat(shop().operated().snapshot().oldestAge()).isZero();
    store("due_at = " + shop().minutesAgo(5));

    assertThat(shop().operated().snapshot().oldestAge()).isZero();
  }

  @Test
  @Spec("IDEM-46")
  void theOldestMessageOfAnInboxMayBeHandledNow() {
    shop().inbox().receive(new InboxKey("shop", "1"), "A", "{}");
    assertThat(shop().inboxWork().claim(Workshop.OWNER, Duration.ofMinutes(5), 1)).hasSize(1);
    shop().database().execute("UPDATE outbox_inbox SET first_seen_at = " + shop().minutesAgo(10));

    assertThat(shop().operated().inboxSnapshot().oldestAge())
        .isBetween(Duration.ofMinutes(10), Duration.ofMinutes(15));
  }

  private void store(String columns) {
    shop().database().execute("UPDATE outbox_event SET " + columns);
  }

  @Test
  @Spec({"IDEM-46", "IDEM-50"})
  void theAgeOfAMessageBeginsWhenItIsStoredAndDue() {
    shop().pending("A");
    String due = "UPDATE outbox_event SET available_at = created_at, due_at = ";
    shop()
        .database()
        .execute(
            "UPDATE outbox_event SET created_at = " + shop().minutesAgo(60),
            due + shop().minutesAgo(10));
    assertThat(shop().operated().snapshot().oldestAge())
        .isBetween(Duration.ofMinutes(10), Duration.ofMinutes(15));
    shop()
        .database()
        .execute(
            "UPDATE outbox_event SET created_at = " + shop().minutesAgo(20),
            due + shop().minutesAgo(60));
    assertThat(shop().operated().snapshot().oldestAge())
        .isBetween(Duration.ofMinutes(20), Duration.ofMinutes(25));
  }

  @Test
  void aLeaseThatHasExpiredIsDueAndNotLeased() {
    shop().taken(shop().pending("A"), Duration.ofNanos(1000));
    MetricsSnapshot snapshot = shop().operated().snapshot();
    assertThat(snapshot.backlog()).isEqualTo(Count.exactly(1));
    assertThat(snapshot.leased()).isEqualTo(Count.exactly(0));
    assertThat(shop().operated().events().nodes()).isEmpty();
  }

  @Test
  @Spec("IDEM-87")
  void whatWasGivenBackWithoutAnErrorIsNoOldFailure() {
    String id = shop().pending("A");
    for (int i = 0; i < OperatedDatabase.DEFAULT_OLD_FAILURES; i++) {
      shop().retried(id, null, Duration.ZERO);
    }
    MetricsSnapshot snapshot = shop().operated().snapshot();
    assertThat(snapshot.failedPending()).isEqualTo(Count.exactly(1));
    assertThat(snapshot.oldFailures()).isEqualTo(Count.exactly(0));
    shop().retried(id, null, Duration.ofMinutes(1));
    assertThat(shop().operated().snapshot().oldFailures()).isEqualTo(Count.exactly(0));
  }

  @Test
  @Spec("IDEM-87")
  void whatDiedBeforeTheWindowIsNoActivity() {
    shop().dead("A", "broken");
    shop().database().execute("UPDATE outbox_event SET available_at = " + shop().minutesAgo(10));
    shop().done("A");
    assertThat(shop().operated().snapshot().activity())
        .isEqualTo(new Activity(OperatedDatabase.DEFAULT_WINDOW, 1, 0));
  }

  @Test
  void aMessageThatIsNotDueYetHasNoAge() {
    schedule(Duration.ofDays(1));
    shop().database().execute("UPDATE outbox_event SET created_at = " + shop().minutesAgo(10));
    assertThat(shop().operated().snapshot().oldestAge()).isZero();
  }

  @Test
  @Spec({"IDEM-47", "IDEM-48"})
  void theActivityIsReadFromTheRowsWithoutACounter() {
    shop().done("A");
    shop().done("A");
    shop().done("A");
    shop().dead("A", "broken");
    Activity activity = shop().operated().snapshot().activity();
    assertThat(activity).isEqualTo(new Activity(Duration.ofMinutes(1), 3, 1));
    assertThat(activity.throughputPerSecond()).isEqualTo(3 / 60.0);
    assertThat(activity.failureRatio()).isEqualTo(0.25);
  }

  @Test
  @Spec({"IDEM-47", "IDEM-48"})
  void whatEndedBeforeTheWindowIsNoActivity() {
    shop().done("A");
    shop().dead("A", "broken");
    store("done_at = " + shop().minutesAgo(2) + " WHERE status = 1");
    store("available_at = " + shop().minutesAgo(2) + " WHERE status = 3");
    shop().done("A");

    assertThat(shop().operated().snapshot().activity())
        .isEqualTo(new Activity(Duration.ofMinutes(1), 1, 0));
    assertThat(configured().window(Duration.ofMinutes(3)).build().snapshot().activity())
        .isEqualTo(new Activity(Duration.ofMinutes(3), 2, 1));
  }

  @Test
  void whatFailedSomeTimeIsNoActivityIfNothingEndedLately() {
    shop().retried("A", "no route");
    Activity activity = shop().operated().snapshot().activity();
    assertThat(activity).isEqualTo(new Activity(Duration.ofMinutes(1), 0, 0));
  }

  @Test
  void aDatabaseWithAnInboxOnlyTellsOfItselfToo() {
    OperatedDatabase inboxOnly =
        OperatedDatabase.builder("orders", shop().database().dataSource())
            .outboxTable("no_outbox")
            .joinTable("no_join")
            .build();
    assertThat(inboxOnly.presence()).isEqualTo(new Presence(false, true, false));
    assertThat(inboxOnly.facts()).isNotNull();
    assertThat(inboxOnly.inboxSnapshot().backlog()).isEqualTo(Count.exactly(0));
  }

  @Test
  void theActivityIsThatOfTheDispatcherIfItCounts() {
    Activity counted = new Activity(Duration.ofSeconds(10), 70, 30);
    OperatedDatabase operated =
        OperatedDatabase.builder("orders", shop().database().dataSource())
            .activity(() -> counted)
            .build();
    assertThat(operated.snapshot().activity()).isEqualTo(counted);
  }

  @Test
  void aLookSeesOneStateHoweverManyStatementsItTakes() {
    OperatedDatabase.Builder setup =
        OperatedDatabase.builder("orders", shop().database().dataSource());
    Tables.outboxQueries(setup)
        .build()
        .look(
            session -> {
              Snapshots snapshots =
                  new Snapshots(session, setup, HealthThresholds.DEFAULT, "", false);
              int before = snapshots.look().facts().tallies().size();
              shop().pending("A");
              assertThat(snapshots.look().facts().tallies()).hasSize(before);
              return before;
            });
    assertThat(shop().operated().snapshot().backlog()).isEqualTo(Count.exactly(1));
  }

  @Test
  void aDatabaseSaysWhatItIsAndWhatItHas() {
    assertThat(shop().operated().name()).isEqualTo("orders");
    assertThat(shop().operated().product()).isIn("PostgreSQL", "MariaDB", "MySQL", "H2");
    assertThat(shop().operated().presence()).isEqualTo(new Presence(true, true, true));
    OperatedDatabase without =
        OperatedDatabase.builder("orders", shop().database().dataSource())
            .inboxTable("no_inbox")
            .joinTable("no_join")
            .build();
    assertThat(without.presence()).isEqualTo(new Presence(true, false, false));
    String id = shop().pending("A");
    assertThat(without.events().find(id, true).orElseThrow().joins()).isEmpty();
  }

  @Test
  void sizesAreToldWhereTheDatabaseKnowsThem() {
    shop().pending("A");
    DatabaseFacts facts = shop().operated().facts();
    if (shop().database().product().isH2()) {
      assertThat(facts).isEqualTo(DatabaseFacts.UNKNOWN);
    } else {
      assertThat(facts.tableBytes()).isPositive();
      assertThat(facts.indexBytes()).isPositive();
    }
  }

  private void schedule(Duration delay) {
    shop()
        .store(
            EventEnvelope.builder("S").payloadJson("{}").dueAt(Instant.now().plus(delay)).build());
  }
}
