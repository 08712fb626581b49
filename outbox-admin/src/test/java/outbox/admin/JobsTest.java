package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.admin.json.JsonWriter;
import outbox.admin.metrics.Count;

class JobsTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Caller ALAN = new Caller("alan", Role.ADMIN);
  private static final Count TEN = Count.exactly(10);

  private final Jobs jobs = new Jobs();

  @AfterEach
  void close() {
    jobs.close();
  }

  @Test
  void tellsHowFarItIsAndThatItIsDone() throws InterruptedException {
    CountDownLatch reported = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Job job =
        start(
            progress -> {
              assertThat(progress.test(4)).isTrue();
              reported.countDown();
              waitFor(goOn);
              return 10;
            });

    assertThat(reported.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(json(job)).contains("\"state\":\"RUNNING\",\"done\":4,\"total\":10");
    goOn.countDown();
    ends(job, Job.State.DONE);
    assertThat(json(job)).contains("\"state\":\"DONE\",\"done\":10");
    assertThat(jobs.find(job.id())).isSameAs(job);
  }

  @Test
  void stopsAfterTheBatchAtHand() {
    Job job = start(JobsTest::forEver);

    job.stop();

    ends(job, Job.State.STOPPED);
  }

  @Test
  void aFailureIsToldWithoutItsText() {
    Job job =
        start(
            progress -> {
              throw new IllegalStateException("password=secret");
            });

    ends(job, Job.State.FAILED);
    assertThat(json(job)).contains("log says why").doesNotContain("secret");
  }

  @Test
  void onlySomeRunAtOnce() {
    for (int i = 0; i < Jobs.MAX_RUNNING; i++) {
      start(JobsTest::forEver);
    }

    assertThatThrownBy(() -> start(JobsTest::forEver))
        .isInstanceOfSatisfying(
            Problem.class, problem -> assertThat(problem.status()).isEqualTo(409));
  }

  @Test
  void closingStopsWhatRuns() {
    Job job = start(JobsTest::forEver);

    jobs.close();

    assertThat(job.state()).isEqualTo(Job.State.STOPPED);
  }

  @Test
  void anErrorIsAFailureTooAndTheEndIsTold() {
    AtomicReference<Job.State> told = new AtomicReference<>();
    Job job = jobs.open("replay", ALAN, TEN);

    jobs.run(
        job,
        progress -> {
          assertThat(progress.test(4)).isTrue();
          throw new StackOverflowError();
        },
        () -> told.set(job.state()));

    await().atMost(LONG).until(() -> told.get() == Job.State.FAILED);
    assertThat(job.done()).isEqualTo(4);
  }

  @Test
  void stoppingInterruptsNoThread() {
    AtomicBoolean interrupted = new AtomicBoolean();
    Job job =
        start(
            progress -> {
              long changed = forEver(progress);
              interrupted.set(Thread.currentThread().isInterrupted());
              return changed;
            });

    job.stop();

    ends(job, Job.State.STOPPED);
    assertThat(interrupted).isFalse();
  }

  @Test
  void theLastHundredAreRememberedAndThoseThatRunInAnyCase() {
    Job running = start(JobsTest::forEver);
    Job oldest = ended();
    Job second = ended();
    for (int i = 3; i < 100; i++) {
      ended();
    }
    assertThat(jobs.find(oldest.id())).isSameAs(oldest);

    ended();

    assertThatThrownBy(() -> jobs.find(oldest.id()))
        .isInstanceOfSatisfying(
            Problem.class, problem -> assertThat(problem.status()).isEqualTo(404));
    assertThat(jobs.find(second.id())).isSameAs(second);
    assertThat(jobs.find(running.id())).isSameAs(running);
  }

  private Job ended() {
    Job job = start(progress -> 0);
    ends(job, Job.State.DONE);
    return job;
  }

  private Job start(Job.Work work) {
    Job job = jobs.open("replay", ALAN, TEN);
    jobs.run(job, work, () -> {});
    return job;
  }

  private static long forEver(LongPredicate goOn) {
    long changed = 0;
    while (goOn.test(changed)) {
      changed++;
    }
    return changed;
  }

  private static void ends(Job job, Job.State state) {
    await().atMost(LONG).until(() -> job.state() == state);
  }

  private static void waitFor(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String json(Job job) {
    return JsonWriter.write(job.toJson());
  }
}
