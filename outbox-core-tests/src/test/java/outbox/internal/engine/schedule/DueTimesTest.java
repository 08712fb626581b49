package outbox.internal.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.internal.engine.delivery.StoreTime;

class DueTimesTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final DueTimes times = new DueTimes();

  @Test
  void withoutTimesThereIsNothingToWaitFor() {
    assertThat(times.nanosToNext()).isEqualTo(Long.MAX_VALUE);
    assertThat(times.begin()).isFalse();
  }

  @Test
  void theEarliestIsNextAndOnlyAnEarlierOneIsToldOf() {
    assertThat(times.addAfter(HOUR)).isTrue();
    assertThat(times.addAfter(HOUR.multipliedBy(2))).isFalse();

    assertThat(times.addAfter(HOUR.dividedBy(2))).isTrue();

    assertThat(times.nanosToNext())
        .isBetween(HOUR.dividedBy(3).toNanos(), HOUR.dividedBy(2).plusMillis(20).toNanos());
  }

  @Test
  void aClaimThatGetsSomethingAnswersAllTimesThatHaveCome() {
    times.add(Instant.now().minusSeconds(2));
    times.add(Instant.now().minusSeconds(1));
    assertThat(times.nanosToNext()).isZero();

    assertThat(times.begin()).isTrue();
    times.end(Instant.now());

    assertThat(times.nanosToNext()).isEqualTo(Long.MAX_VALUE);
    assertThat(times.begin()).isFalse();
  }

  @Test
  void aClaimThatGetsNothingIsRepeatedAfterGrowingPausesButNotForEver() {
    times.add(Instant.now().minusSeconds(1));
    long last = 0;
    for (int i = 0; i < 8; i++) {
      assertThat(times.begin()).isTrue();
      times.end(null);
      long pause = times.nanosToNext();
      assertThat(pause).isBetween(0L, Duration.ofSeconds(1).toNanos());
      last = Math.max(last, pause);
    }
    assertThat(last).isGreaterThan(Duration.ofMillis(300).toNanos());

    times.begin();
    times.end(null);

    assertThat(times.nanosToNext()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aClaimThatCameTooEarlyByTheStoresClockIsRepeatedAtItsTime() {
    Instant due = Instant.now().minusMillis(100);
    Instant storeTime = Instant.now().minus(HOUR);
    times.add(due);
    times.begin();

    times.end(storeTime);
    times.sees(storeTimeNow(HOUR.negated()));

    assertThat(times.nanosToNext()).isBetween(HOUR.minusMinutes(1).toNanos(), HOUR.toNanos());
  }

  @Test
  void aDelayIsCountedByTheStoresClock() {
    for (Duration ahead : List.of(HOUR, HOUR.negated())) {
      DueTimes fresh = new DueTimes();
      fresh.sees(storeTimeNow(ahead));

      fresh.addAfter(Duration.ofMinutes(1));

      assertThat(fresh.nanosToNext())
          .isBetween(Duration.ofSeconds(30).toNanos(), Duration.ofSeconds(61).toNanos());
    }
  }

  @Test
  void aTimeIsKeptWhetherTheClockIsBehindTheStoresOrAhead() {
    for (Duration ahead : List.of(HOUR, HOUR.negated())) {
      DueTimes fresh = new DueTimes();
      fresh.sees(storeTimeNow(ahead));
      Instant due = Instant.now().plus(ahead).plusSeconds(60);

      fresh.add(due);

      long left = Duration.between(Instant.now().plus(ahead), due).toNanos();
      assertThat(fresh.nanosToNext())
          .isBetween(
              left - Duration.ofSeconds(5).toNanos(), left + Duration.ofMillis(50).toNanos());
    }
  }

  @Test
  void whatTheStoreWillCallLaterIsLaterWhateverThisClockShows() {
    times.sees(storeTimeNow(HOUR));
    assertThat(times.isLater(Instant.now().plus(HOUR).minusSeconds(60))).isFalse();
    assertThat(times.isLater(Instant.now().plus(HOUR).plusSeconds(60))).isTrue();

    times.sees(storeTimeNow(HOUR.negated()));
    assertThat(times.isLater(Instant.now().minus(HOUR).minusSeconds(60))).isFalse();
    assertThat(times.isLater(Instant.now().minus(HOUR).plusSeconds(60))).isTrue();
  }

  @Test
  void anAnswerThatTookLongDoesNotUndoWhatIsKnownOfTheClocks() {
    times.sees(storeTimeNow(HOUR));
    Instant due = Instant.now().plus(HOUR).plusSeconds(60);
    times.add(due);

    long askedTwoHoursAgo = System.nanoTime() - HOUR.multipliedBy(2).toNanos();
    times.sees(new StoreTime(Instant.now(), askedTwoHoursAgo));

    assertThat(times.nanosToNext())
        .isBetween(Duration.ofSeconds(30).toNanos(), Duration.ofSeconds(61).toNanos());
  }

  private static StoreTime storeTimeNow(Duration ahead) {
    long nanos = System.nanoTime();
    return new StoreTime(Instant.now().plus(ahead), nanos);
  }

  @Test
  void aTimeThatIsCenturiesAwayIsLeftToThePoller() {
    times.add(Instant.parse("9999-12-31T23:59:59Z"));
    times.add(Instant.MAX);
    times.addAfter(Duration.ofSeconds(Long.MAX_VALUE));

    assertThat(times.nanosToNext()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aRepetitionIsNotDueForEverWhenItsClaimFails() {
    times.add(Instant.now().minusSeconds(1));
    times.begin();
    times.end(null);
    assertThat(times.nanosToNext()).isLessThan(HOUR.toNanos());

    boolean answers = times.begin();

    assertThat(answers).isTrue();
    assertThat(times.nanosToNext()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void asManyAsFitAreKeptTheEarliestOfAll() {
    Instant base = Instant.now().plus(HOUR);
    for (int i = 0; i < DueTimes.CAPACITY + 100; i++) {
      times.add(base.plusMillis(20L * i));
    }

    times.add(base.minus(HOUR.dividedBy(2)));

    assertThat(times.nanosToNext()).isLessThan(HOUR.minusMinutes(20).toNanos());
    assertThat(times.size()).isEqualTo(DueTimes.CAPACITY);
  }
}
