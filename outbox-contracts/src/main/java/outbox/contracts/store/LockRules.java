package outbox.contracts.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.spi.LeasedEventStore.Lease;

/** Rows that another transaction has locked are skipped, never waited for. */
interface LockRules extends StoreUnderTest {

  @Test
  @Spec({"OBX-011", "OBX-095"})
  default void aClaimSkipsWhatAnotherClaimHasLocked() throws SQLException {
    insert("a", "b", "c");
    try (Connection connection = beginTransaction()) {
      assertThat(store().claim(connection, request("other", 2)).events()).hasSize(2);

      List<String> claimed = claimIds("me");

      connection.rollback();
      assertThat(claimed).hasSize(1);
    }
    assertThat(claimIds("me")).hasSize(2);
  }

  @Test
  default void aClaimDoesNotSeeWhatIsNotCommitted() throws SQLException {
    try (Connection connection = beginTransaction()) {
      store().insertNew(connection, event("free"));
      store().insert(connection, event("leased"), new Lease("publisher", LEASE));
      insert("other");

      assertThat(claimIds("me")).containsExactly("other");

      connection.commit();
    }
    assertThat(claimIds("me")).containsExactly("free");
  }

  @Test
  default void aTransitionSkipsLockedRowsAndChangesTheRest() throws SQLException {
    for (FenceRules.Transition transition : FenceRules.Transition.values()) {
      String locked = transition + "-locked";
      String free = transition + "-free";
      insert(locked, free);
      claim("me");
      try (Connection connection = beginTransaction()) {
        assertThat(store().renew(connection, "me", List.of(locked), LEASE)).hasSize(1);

        assertThat(transition.apply(this, "me", locked, free))
            .as("%s", transition)
            .containsExactly(free);

        connection.rollback();
      }
      assertThat(transition.apply(this, "me", locked)).as("%s", transition).containsExactly(locked);
    }
  }

  @Test
  default void claimingByIdAndReapingSkipLockedRows() throws SQLException {
    insert("locked", "free");
    claim("gone");
    advance(PAST_LEASE);
    try (Connection connection = beginTransaction()) {
      store().renew(connection, "gone", List.of("locked"), LEASE);

      assertThat(reap(Duration.ZERO, 10)).isEqualTo(1);
      assertThat(ids(claimById("me", "locked", "free"))).containsExactly("free");

      connection.commit();
    }
    assertThat(stored("locked").owner()).isEqualTo("gone");
  }

  @Test
  default void inspectReadsWhatIsCommittedWithoutWaiting() throws SQLException {
    insert("a");
    try (Connection connection = beginTransaction()) {
      store().claim(connection, request("other", 10));

      assertThat(inspect(List.of("a")).get("a"))
          .satisfies(state -> assertThat(state.owner()).isNull());

      connection.rollback();
    }
  }

  @Test
  default void aTransactionSeesWhatHasGoneSinceItsSnapshotButNotPastALock() throws SQLException {
    List<String> both = List.of("gone", "locked");
    insert("gone", "locked", "other");
    claim("me");
    try (Connection mine = beginTransaction();
        Connection theirs = beginTransaction()) {
      assertThat(store().inspect(mine, List.of("other"))).hasSize(1);
      Set<String> deleted =
          call(connection -> deletingStore().ack(connection, "me", List.of("gone")));
      assertThat(deleted).hasSize(1);
      assertThat(store().renew(theirs, "me", List.of("locked"), LEASE)).hasSize(1);

      assertThat(store().inspect(mine, both)).containsOnlyKeys("locked");

      theirs.rollback();
      mine.rollback();
    }
  }
}
