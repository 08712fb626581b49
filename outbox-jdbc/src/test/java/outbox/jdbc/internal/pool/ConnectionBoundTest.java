package outbox.jdbc.internal.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.jdbc.internal.pool.ConnectionBound.User;

/** Who may have how many of the connections. */
@Timeout(120)
class ConnectionBoundTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final ConnectionBound bound = new ConnectionBound(8);

  @ParameterizedTest
  @CsvSource({"3, 2", "4, 3", "7, 6", "8, 6", "40, 30"})
  void aQuarterAndAtLeastOneIsLeftToTheOthers(int max, int share) {
    assertThat(ConnectionBound.share(max)).isEqualTo(share);
  }

  @Test
  void theApplicationLeavesItsPartToTheEngine() throws SQLException {
    acquire(User.APPLICATION, 6);
    assertBusy(User.APPLICATION);

    acquire(User.CLAIM, 1);
    acquire(User.UPKEEP, 1);
    assertBusy(User.CLAIM);
    assertBusy(User.UPKEEP);
  }

  @Test
  void theEngineLeavesItsPartToTheApplication() throws SQLException {
    acquire(User.CLAIM, 3);
    acquire(User.UPKEEP, 3);
    assertBusy(User.CLAIM);
    assertBusy(User.UPKEEP);

    acquire(User.APPLICATION, 2);
    assertBusy(User.APPLICATION);
  }

  @Test
  void whatIsGivenBackCountsForTheSideThatHadIt() throws SQLException {
    acquire(User.APPLICATION, 6);
    acquire(User.CLAIM, 2);

    bound.release(User.APPLICATION);
    acquire(User.UPKEEP, 1);
    assertBusy(User.APPLICATION);
    bound.release(User.UPKEEP);
    acquire(User.APPLICATION, 1);
    assertBusy(User.UPKEEP);
  }

  @Test
  void anInterruptEndsTheWaitAndIsKept() throws Exception {
    acquire(User.APPLICATION, 6);
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    AtomicReference<Boolean> interrupted = new AtomicReference<>();
    Thread waiter =
        new Thread(
            () -> {
              try {
                bound.acquire(User.APPLICATION, LONG, "one");
              } catch (SQLException e) {
                thrown.set(e);
                interrupted.set(Thread.currentThread().isInterrupted());
              }
            });
    waiter.start();
    await().atMost(LONG).until(() -> waiter.getState() == Thread.State.TIMED_WAITING);

    waiter.interrupt();
    waiter.join();

    assertThat(thrown.get()).hasMessageContaining("interrupted").hasMessageContaining("store=one");
    assertThat(interrupted.get()).isTrue();
  }

  @Test
  void upkeepThatGaveUpKeepsClaimsOutNoLonger() throws SQLException {
    acquire(User.CLAIM, 6);
    assertBusy(User.UPKEEP);
    bound.release(User.CLAIM);

    acquire(User.CLAIM, 1);
  }

  private void acquire(User user, int times) throws SQLException {
    for (int i = 0; i < times; i++) {
      bound.acquire(user, Duration.ZERO, "one");
    }
  }

  private void assertBusy(User user) {
    assertThatThrownBy(() -> bound.acquire(user, Duration.ZERO, "one"))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("store=one")
        .hasMessageContaining("maxConnections=8");
  }
}
