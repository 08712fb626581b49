package outbox.jdbc.internal.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.pool.WarmConnections.Warm;
import outbox.routing.OutboxDatabase;

/** Which connections are kept for later, and whose place is given away. */
@Timeout(120)
class WarmConnectionsTest {
  private static final Duration LONG = Duration.ofHours(1);

  /** How long the place of a connection that was closed is kept. */
  private static final Duration LINGER = Duration.ofMillis(50);

  private final TestDatabase database = TestDatabase.create(Product.H2);
  private final TenantDatabase one = tenant("one");
  private final TenantDatabase two = tenant("two");
  private final WarmConnections warm = new WarmConnections(4, LONG);

  @SuppressWarnings("NullAway.Init")
  private Connection first;

  @SuppressWarnings("NullAway.Init")
  private Connection second;

  @BeforeEach
  void connect() throws SQLException {
    first = database.connect();
    second = database.connect();
  }

  @AfterEach
  void close() throws SQLException {
    first.close();
    second.close();
    database.close();
  }

  @Test
  void theOneThatWasUsedLastIsTakenFirst() throws Exception {
    warm.keep(one, first);
    warm.keep(one, second);
    warm.keep(two, first);

    assertThat(warm.take(one)).extracting(Warm::connection).isSameAs(second);
    assertThat(warm.takeIdle(one)).extracting(Warm::connection).isSameAs(first);
    assertThat(warm.takeIdle(one)).isNull();
    assertThat(warm.takeIdle(two)).isNotNull();
  }

  @Test
  void aPlaceIsGivenAwayOnlyWhenItsSessionIsGoneForSure() throws Exception {
    take(4);
    long left = System.nanoTime();
    warm.leavePlace();

    assertThat(warm.take(one)).as("a place").isNull();
    assertThat(Duration.ofNanos(System.nanoTime() - left)).isGreaterThanOrEqualTo(LINGER);
  }

  @Test
  void whereNoPlaceIsFreeTheOldestOfOthersHasToMakeRoom() throws Exception {
    take(4);
    warm.keep(two, first);
    warm.keep(two, second);

    assertThat(warm.take(one)).extracting(Warm::connection).isSameAs(first);
  }

  @Test
  void onePlaceInFourIsFreedInAdvance() throws Exception {
    take(3);
    warm.keep(two, first);
    assertThat(warm.takeSuperfluous()).as("one place is free").isNull();

    take(1);
    assertThat(warm.takeSuperfluous()).extracting(Warm::connection).isSameAs(first);
    assertThat(warm.takeSuperfluous()).as("none is left").isNull();
  }

  @Test
  void aPlaceThatIsAboutToBeFreeCountsAsFree() throws Exception {
    take(4);
    warm.keep(one, first);
    warm.leavePlace();

    assertThat(warm.takeSuperfluous()).isNull();
  }

  @Test
  void theOldestIsSuperfluousAfterItsTime() {
    WarmConnections brief = new WarmConnections(4, Duration.ZERO);
    brief.keep(one, first);
    brief.keep(one, second);

    assertThat(brief.takeSuperfluous()).extracting(Warm::connection).isSameAs(first);
  }

  @Test
  void nothingIsKeptOfADatabaseThatLeftNorAfterTheEnd() {
    two.close();
    assertThat(warm.keep(two, first)).isFalse();
    assertThat(warm.keep(one, first)).isTrue();

    assertThat(warm.takeForClose()).extracting(Warm::connection).isSameAs(first);
    assertThat(warm.takeForClose()).isNull();
    assertThat(warm.keep(one, second)).isFalse();
  }

  private void take(int places) throws InterruptedException {
    for (int i = 0; i < places; i++) {
      assertThat(warm.take(one)).as("a place").isNull();
    }
  }

  private TenantDatabase tenant(String name) {
    return new TenantDatabase(
        OutboxDatabase.of(name, database.dataSource()), null, LONG, new ConnectAttempts(1));
  }
}
