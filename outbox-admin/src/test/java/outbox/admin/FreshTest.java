package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import outbox.admin.Fresh.Look;
import outbox.admin.data.TooSlowException;

class FreshTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(20);

  private final Deque<CompletableFuture<String>> answers = new ArrayDeque<>();

  @Test
  void isGotOnceHoweverManyAskAndAgainAfterAFailure() {
    answers.add(CompletableFuture.failedFuture(new IllegalStateException("gone")));
    Fresh<String> fresh = new Fresh<>(LONG, LONG, this::answer);

    assertThatIllegalStateException().isThrownBy(fresh::get).withMessage("gone");
    assertThat(fresh.get()).isEqualTo("here");
    assertThat(fresh.ask()).isSameAs(fresh.ask());
  }

  @Test
  void aLookThatTheExecutorRefusesFailsAndTheNextMayRun() {
    Deque<Executor> executors = new ArrayDeque<>();
    executors.add(
        task -> {
          throw new RejectedExecutionException("full");
        });
    executors.add(Runnable::run);
    Fresh<String> fresh =
        new Fresh<>(LONG, LONG, this::answer, task -> executors.remove().execute(task));

    assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(fresh::get);
    assertThat(fresh.get()).isEqualTo("here");
  }

  @Test
  void aLookThatHangsIsWaitedForInVainAndThenReplaced() {
    CompletableFuture<String> never = new CompletableFuture<>();
    answers.add(never);
    Fresh<String> fresh =
        new Fresh<>(LONG, SHORT, this::answer, task -> new Thread(task, "look").start());

    Look<String> first = fresh.ask();
    assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> first.await(SHORT));
    await().atMost(LONG).until(() -> fresh.ask() != first);
    await().atMost(LONG).until(() -> fresh.ask().value().isDone());
    assertThat(fresh.get()).isEqualTo("here");
    never.complete("too late");
    await().atMost(LONG).until(() -> first.value().isDone());
    assertThat(fresh.get()).isEqualTo("here");
  }

  @Test
  void aCallerWaitingForAnothersLookIsToldThatItIsSlow() {
    Fresh<String> fresh = new Fresh<>(LONG, SHORT, this::answer, task -> {});

    assertThatExceptionOfType(TooSlowException.class)
        .isThrownBy(fresh::get)
        .withMessageContaining("PT0.02S");
  }

  private synchronized CompletableFuture<String> next() {
    CompletableFuture<String> planned = answers.poll();
    return planned == null ? CompletableFuture.completedFuture("here") : planned;
  }

  private String answer() {
    try {
      return next().join();
    } catch (CompletionException e) {
      throw (RuntimeException) e.getCause();
    }
  }
}
