package outbox.internal.engine.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.internal.engine.delivery.Run.Reason;

class RunTest {
  private final Run run = new Run("run");

  @AfterEach
  void clearInterrupt() {
    boolean unused = Thread.interrupted();
  }

  @Test
  void cancellationInterruptsAndPerformsEveryActionElsewhere() throws Exception {
    CountDownLatch performed = new CountDownLatch(2);
    List<Thread> threads = new ArrayList<>();
    run.begin();
    run.onCancel(
        () -> {
          performed.countDown();
          throw new IllegalStateException("spoils nothing");
        });
    run.onCancel(
        () -> {
          threads.add(Thread.currentThread());
          performed.countDown();
        });

    assertThat(run.cancel(Reason.LOST)).isTrue();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(performed.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(run.isCancelled()).isTrue();
    assertThat(threads).doesNotContain(Thread.currentThread());
  }

  @Test
  void actionThatComesAfterTheCancellationIsPerformedAtOnce() {
    List<String> performed = new ArrayList<>();
    run.begin();
    run.cancel(Reason.LOST);

    run.onCancel(() -> performed.add("late"));

    assertThat(performed).containsExactly("late");
  }

  @Test
  void cancellationBeforeTheBeginningIsSeenByTheRun() {
    assertThat(run.cancel(Reason.LOST)).isFalse();

    run.begin();

    assertThat(run.isCancelled()).isTrue();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void nothingIsPerformedOnceTheRunHasEnded() {
    List<String> performed = new ArrayList<>();
    run.begin();
    run.onCancel(() -> performed.add("before the end"));
    run.end();

    assertThat(run.cancel(Reason.LOST)).isFalse();
    run.onCancel(() -> performed.add("after the end"));

    assertThat(performed).isEmpty();
  }
}
