package outbox.jdbc.internal.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many callers at once may be on their way to a connection of one database. */
@Timeout(120)
class ConnectAttemptsTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final ConnectAttempts attempts = new ConnectAttempts(2);

  @Test
  void asManyAsAreAllowedGetThroughAtOnceWithAllOfTheirTime() throws SQLException {
    assertThat(attempts.enter(LONG, "one")).isEqualTo(LONG);
    assertThat(attempts.enter(LONG, "one")).isEqualTo(LONG);

    assertThatThrownBy(() -> attempts.enter(Duration.ZERO, "one"))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("store=one within PT0S: 2 others wait");
    attempts.leave();
    assertThat(attempts.enter(LONG, "one")).isEqualTo(LONG);
  }

  @Test
  void afterAFailureOneTriesAndTheOthersAreToldAtOnce() throws SQLException {
    attempts.answered(false);
    attempts.enter(LONG, "one");

    assertThatThrownBy(() -> attempts.enter(LONG, "one")).hasMessageContaining("does not answer");

    attempts.answered(true);
    assertThat(attempts.enter(LONG, "one")).isEqualTo(LONG);
  }

  @Test
  void whoWaitsGetsTheTurnThatIsLeftAndTheRestOfTheTime() throws Exception {
    attempts.enter(LONG, "one");
    attempts.enter(LONG, "one");
    AtomicReference<Duration> rest = new AtomicReference<>();
    Thread waiter = waiting(rest, new AtomicReference<>());

    attempts.leave();
    waiter.join();

    assertThat(rest.get()).isPositive().isLessThan(LONG);
  }

  @Test
  void anInterruptEndsTheWaitAndIsKept() throws Exception {
    attempts.enter(LONG, "one");
    attempts.enter(LONG, "one");
    AtomicReference<Boolean> interrupted = new AtomicReference<>();
    Thread waiter = waiting(new AtomicReference<>(), interrupted);

    waiter.interrupt();
    waiter.join();

    assertThat(interrupted.get()).isTrue();
    attempts.leave();
    assertThat(attempts.enter(Duration.ZERO, "one")).isZero();
  }

  private Thread waiting(AtomicReference<Duration> rest, AtomicReference<Boolean> interrupted) {
    Thread waiter =
        new Thread(
            () -> {
              try {
                rest.set(attempts.enter(LONG, "one"));
              } catch (SQLException e) {
                interrupted.set(Thread.currentThread().isInterrupted());
              }
            });
    waiter.start();
    await().atMost(LONG).until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
    return waiter;
  }
}
