package outbox.admin.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.admin.metrics.QueueFacts.Pending;
import outbox.admin.metrics.QueueFacts.Tally;
import outbox.contracts.support.Spec;
import outbox.metrics.Activity;

class MetricsSnapshotTest {
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
  private static final Activity ACTIVITY = new Activity(Duration.ofSeconds(10), 75, 25);

  @Test
  @Spec({"IDEM-44", "IDEM-45", "IDEM-46", "IDEM-49", "IDEM-50", "IDEM-51", "IDEM-81"})
  void sumsUpWhatTheLookFound() {
    MetricsSnapshot snapshot =
        snapshot(
            new Tally("A", "t1", 5, 2, 1, 3, 1, 4, NOW.minusSeconds(90)),
            new Tally("A", null, 1, 0, 0, 0, 0, 0, NOW.minusSeconds(10)),
            new Tally("B", "t1", 0, 0, 0, 0, 0, 7, null));
    assertThat(snapshot.at()).isEqualTo(NOW);
    assertThat(snapshot.backlog()).isEqualTo(Count.exactly(6));
    assertThat(snapshot.failedPending()).isEqualTo(Count.exactly(2));
    assertThat(snapshot.oldFailures()).isEqualTo(Count.exactly(1));
    assertThat(snapshot.leased()).isEqualTo(Count.exactly(3));
    assertThat(snapshot.scheduled()).isEqualTo(Count.exactly(1));
    assertThat(snapshot.dead()).isEqualTo(Count.exactly(11));
    assertThat(snapshot.oldestAge()).isEqualTo(Duration.ofSeconds(90));
  }

  @Test
  void groupsByTopicAndTenantWithMostTroubleFirst() {
    MetricsSnapshot snapshot =
        snapshot(
            new Tally("A", "t1", 5, 2, 0, 0, 0, 4, NOW.minusSeconds(90)),
            new Tally("A", null, 1, 0, 0, 0, 0, 0, NOW.minusSeconds(10)),
            new Tally("B", "t1", 0, 0, 0, 0, 0, 7, null));
    assertThat(snapshot.topics())
        .containsExactly(
            group("B", 0, 0, 7, Duration.ZERO), group("A", 6, 2, 4, Duration.ofSeconds(90)));
    assertThat(snapshot.tenants())
        .containsExactly(
            group("t1", 5, 2, 11, Duration.ofSeconds(90)),
            group("", 1, 0, 0, Duration.ofSeconds(10)));
  }

  @Test
  void whatIsDueLaterIsNoBacklog() {
    MetricsSnapshot snapshot = snapshot(new Tally("A", "t1", 2, 0, 0, 1, 7, 0, NOW));
    assertThat(snapshot.backlog()).isEqualTo(Count.exactly(2));
    assertThat(snapshot.scheduled()).isEqualTo(Count.exactly(7));
    assertThat(snapshot.topics().get(0).scheduled()).isEqualTo(Count.exactly(7));
  }

  @Test
  void saysWhenTheTalliesDoNotCoverAll() {
    Pending pending =
        new Pending(
            new Count(100_001, true), Count.exactly(12), Count.exactly(3), NOW.minusSeconds(60));
    QueueFacts facts =
        new QueueFacts(NOW, List.of(tally("A", 1000, NOW)), pending, new Count(30_000, true));
    MetricsSnapshot snapshot = MetricsSnapshot.of(facts, Activity.NONE);
    assertThat(snapshot.backlog()).hasToString("100001+");
    assertThat(snapshot.leased()).hasToString("12");
    assertThat(snapshot.scheduled()).hasToString("3");
    assertThat(snapshot.oldestAge()).isEqualTo(Duration.ofMinutes(1));
    assertThat(snapshot.dead()).hasToString("30000+");
    assertThat(snapshot.topics().get(0).backlog()).hasToString("1000+");
  }

  @Test
  void noneAmongThoseThatWereReadIsShownAsNoneButMayBeMore() {
    Pending pending =
        new Pending(new Count(100_001, true), Count.exactly(0), Count.exactly(0), null);
    QueueFacts facts =
        new QueueFacts(NOW, List.of(tally("A", 1000, NOW)), pending, new Count(30_000, true));
    MetricsSnapshot snapshot = MetricsSnapshot.of(facts, Activity.NONE);
    assertThat(snapshot.failedPending()).isEqualTo(new Count(0, true)).hasToString("0");
    assertThat(snapshot.topics().get(0).dead()).isEqualTo(new Count(0, true)).hasToString("0");
  }

  @Test
  void anEventFromTheFutureHasNoAge() {
    assertThat(snapshot(tally("A", 1, NOW.plusSeconds(5))).oldestAge()).isZero();
  }

  @Test
  void anEmptyQueueIsAllZero() {
    MetricsSnapshot snapshot = snapshot();
    assertThat(snapshot.backlog()).isEqualTo(Count.exactly(0));
    assertThat(snapshot.oldestAge()).isZero();
    assertThat(snapshot.topics()).isEmpty();
  }

  @Test
  @Spec({"IDEM-47", "IDEM-48"})
  void ratesComeFromTheWindow() {
    assertThat(ACTIVITY.throughputPerSecond()).isEqualTo(7.5);
    assertThat(ACTIVITY.failuresPerSecond()).isEqualTo(2.5);
    assertThat(ACTIVITY.failureRatio()).isEqualTo(0.25);
    assertThat(Activity.NONE.throughputPerSecond()).isZero();
    assertThat(Activity.NONE.failureRatio()).isZero();
  }

  private static MetricsSnapshot snapshot(Tally... tallies) {
    return MetricsSnapshot.of(QueueFacts.complete(NOW, List.of(tallies)), ACTIVITY);
  }

  private static Tally tally(String topic, long backlog, @Nullable Instant oldest) {
    return new Tally(topic, null, backlog, 0, 0, 0, 0, 0, oldest);
  }

  private static MetricsSnapshot.Group group(
      String name, long backlog, long failed, long dead, Duration age) {
    return new MetricsSnapshot.Group(
        name,
        Count.exactly(backlog),
        Count.exactly(0),
        Count.exactly(failed),
        Count.exactly(dead),
        age);
  }
}
