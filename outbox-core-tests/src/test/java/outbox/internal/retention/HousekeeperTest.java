package outbox.internal.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.Retention;
import outbox.internal.util.Deadline;
import outbox.spi.Chore;

class HousekeeperTest {
  private static final Retention FAST =
      Retention.ofOutbox()
          .interval(Duration.ofMillis(5))
          .pause(Duration.ZERO)
          .turn(Duration.ofMillis(1));

  private final Housekeeper housekeeper = new Housekeeper(FAST);

  @AfterEach
  void close() {
    housekeeper.close();
  }

  @Test
  void aChoreThatNeverEndsLeavesTheOthersTheirTurn() {
    List<String> done = new CopyOnWriteArrayList<>();
    housekeeper.add(chore("endless", () -> true));
    housekeeper.add(
        chore(
            "short",
            () -> {
              done.add("short");
              return false;
            }));

    await().atMost(Duration.ofSeconds(60)).until(() -> done.size() >= 3);
  }

  @Test
  void aChoreThatFailsComesAgainAndKeepsNoOther() {
    AtomicInteger tries = new AtomicInteger();
    AtomicInteger others = new AtomicInteger();
    housekeeper.add(
        chore(
            "failing",
            () -> {
              tries.incrementAndGet();
              throw new IllegalStateException("database is down");
            }));
    housekeeper.add(chore("other", () -> others.incrementAndGet() < 0));

    await().atMost(Duration.ofSeconds(60)).until(() -> tries.get() >= 2 && others.get() >= 2);
  }

  @Test
  void aChoreThatIsFinishedComesAgainAfterTheIntervalMoreOrLess() throws Exception {
    Duration interval = Duration.ofMillis(40);
    try (Housekeeper slow = new Housekeeper(FAST.interval(interval))) {
      List<Duration> gaps = gapsOf(slow, 25, () -> false);

      assertThat(gaps).allMatch(gap -> gap.compareTo(interval.multipliedBy(3).dividedBy(4)) >= 0);
      assertThat(Collections.min(gaps)).isLessThan(interval.multipliedBy(5).dividedBy(4));
    }
  }

  @Test
  void aChoreThatIsNotFinishedComesAgainWithoutWaitingForTheInterval() throws Exception {
    Duration interval = Duration.ofMillis(800);
    try (Housekeeper slow = new Housekeeper(FAST.interval(interval))) {
      List<Duration> gaps = gapsOf(slow, 5, () -> worked(Duration.ofMillis(2)));

      assertThat(Collections.min(gaps)).isLessThan(interval.dividedBy(2));
    }
  }

  @Test
  void aBatchIsFollowedByThePauseOrByAsMuchTimeAsItTook() throws Exception {
    Duration pause = Duration.ofMillis(20);
    Duration work = Duration.ofMillis(50);
    Retention paced = FAST.pause(pause).turn(Duration.ofMinutes(1));
    try (Housekeeper quick = new Housekeeper(paced);
        Housekeeper slow = new Housekeeper(paced)) {
      assertThat(gapsOf(quick, 4, () -> true)).allMatch(gap -> gap.compareTo(pause) >= 0);
      assertThat(gapsOf(slow, 2, () -> worked(work)))
          .allMatch(gap -> gap.compareTo(work.multipliedBy(2)) >= 0);
    }
  }

  @Test
  void choresAreScatteredOverTheirFirstIntervalAndTheEarliestIsNotMissed() {
    int chores = 2_000;
    AtomicInteger done = new AtomicInteger();
    try (Housekeeper slow = new Housekeeper(FAST.interval(Duration.ofMinutes(10)))) {
      for (int i = 0; i < chores; i++) {
        slow.add(chore("scattered", () -> done.incrementAndGet() < 0));
      }

      await().atMost(Duration.ofSeconds(60)).until(() -> done.get() > 0);

      assertThat(done.get()).isLessThan(chores);
    }
  }

  @Test
  void aChoreThatFailsComesAgainAfterTheInterval() {
    Duration interval = Duration.ofMillis(40);
    try (Housekeeper slow = new Housekeeper(FAST.interval(interval).turn(Duration.ofMinutes(1)))) {
      List<Duration> gaps =
          gapsOf(
              slow,
              5,
              () -> {
                throw new IllegalStateException("database is down");
              });

      assertThat(gaps).allMatch(gap -> gap.compareTo(interval.multipliedBy(3).dividedBy(4)) >= 0);
    }
  }

  @Test
  void aPauseIsKeptWhateverIsAddedMeanwhile() throws Exception {
    Duration pause = Duration.ofMillis(50);
    Chore passing = chore("passing", () -> false);
    Retention paced = FAST.pause(pause).turn(Duration.ofMinutes(1));
    try (Housekeeper busy = new Housekeeper(paced)) {
      AtomicBoolean measured = new AtomicBoolean();
      Thread adding =
          new Thread(
              () -> {
                while (!measured.get()) {
                  busy.add(passing);
                  busy.remove(passing);
                  LockSupport.parkNanos(1_000_000);
                }
              });
      adding.start();
      List<Duration> gaps = gapsOf(busy, 3, () -> true);
      measured.set(true);
      adding.join();

      assertThat(gaps).allMatch(gap -> gap.compareTo(pause) >= 0);
    }
  }

  @Test
  void removingOneLeavesTheOthers() {
    AtomicInteger others = new AtomicInteger();
    Chore removed = chore("removed", () -> false);
    housekeeper.add(removed);
    housekeeper.add(chore("other", () -> others.incrementAndGet() < 0));

    housekeeper.remove(removed);

    int before = others.get();
    await().atMost(Duration.ofSeconds(60)).until(() -> others.get() >= before + 2);
  }

  @Test
  void closingEndsAPause() {
    Housekeeper pausing =
        new Housekeeper(FAST.pause(Duration.ofHours(1)).turn(Duration.ofHours(2)));
    AtomicReference<Thread> worker = new AtomicReference<>();
    pausing.add(
        chore(
            "pausing",
            () -> {
              worker.set(Thread.currentThread());
              return true;
            }));
    await().atMost(Duration.ofSeconds(60)).until(() -> worker.get() != null);

    pausing.close(Deadline.in(Duration.ofMinutes(1)));

    assertThat(worker.get()).matches(Thread::isDaemon).matches(thread -> !thread.isAlive());
  }

  @Test
  void aChoreCanCloseTheHousekeeper() {
    CountDownLatch closed = new CountDownLatch(1);
    housekeeper.add(
        chore(
            "closing",
            () -> {
              housekeeper.close(Deadline.in(Duration.ofHours(1)));
              closed.countDown();
              return false;
            }));

    assertThat(awaited(closed)).isTrue();
  }

  /** How long it was from the begin of one batch to that of the next. */
  private static List<Duration> gapsOf(Housekeeper housekeeper, int gaps, BooleanSupplier batch) {
    List<Long> begins = new CopyOnWriteArrayList<>();
    Chore chore =
        chore(
            "measured",
            () -> {
              begins.add(System.nanoTime());
              return batch.getAsBoolean();
            });
    housekeeper.add(chore);
    await().atMost(Duration.ofSeconds(60)).until(() -> begins.size() > gaps);
    housekeeper.remove(chore);
    return IntStream.range(0, gaps)
        .mapToObj(i -> Duration.ofNanos(begins.get(i + 1) - begins.get(i)))
        .toList();
  }

  private static boolean worked(Duration howLong) {
    long end = System.nanoTime() + howLong.toNanos();
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
    return true;
  }

  @Test
  void whatIsRemovedIsNotDoneAnyMore() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicInteger batches = new AtomicInteger();
    AtomicInteger others = new AtomicInteger();
    Chore removed =
        chore(
            "removed",
            () -> {
              batches.incrementAndGet();
              begun.countDown();
              return awaited(goOn);
            });
    housekeeper.add(removed);
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();

    housekeeper.remove(removed);
    goOn.countDown();
    housekeeper.add(chore("other", () -> others.incrementAndGet() < 0));

    await().atMost(Duration.ofSeconds(60)).until(() -> others.get() >= 3);
    assertThat(batches).hasValue(1);
  }

  @Test
  void closingWaitsForTheBatchUnderWayAndIsFinal() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    AtomicInteger ended = new AtomicInteger();
    housekeeper.add(
        chore(
            "last",
            () -> {
              begun.countDown();
              ended.incrementAndGet();
              return true;
            }));
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();

    housekeeper.close();
    int batches = ended.get();
    housekeeper.close();

    assertThat(ended).hasValue(batches);
    assertThatThrownBy(() -> housekeeper.add(chore("late", () -> false)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void agesThatContradictEachOtherAreRefused() {
    assertThatThrownBy(() -> Retention.ofOutbox().payloads(Duration.ofDays(8)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("payloads (PT192H)")
        .hasMessageContaining("completed (PT168H)");
    assertThatThrownBy(() -> Retention.ofOutbox().dead(Duration.ofDays(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("dead (PT-24H)");
    assertThatThrownBy(() -> Retention.ofOutbox().interval(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("interval (PT0S)");
    assertThatThrownBy(() -> Retention.ofOutbox().batchSize(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("batchSize (0)");
    assertThat(Retention.ofOutbox().completed()).isEqualTo(Duration.ofDays(7));
    assertThat(Retention.ofOutbox().dead()).isNull();
    assertThat(Retention.ofInbox().payloads()).isEqualTo(Duration.ofDays(7));
  }

  private static boolean awaited(CountDownLatch latch) {
    try {
      return latch.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Chore chore(String name, BooleanSupplier batch) {
    return new Chore() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public boolean batch() {
        return batch.getAsBoolean();
      }
    };
  }
}
