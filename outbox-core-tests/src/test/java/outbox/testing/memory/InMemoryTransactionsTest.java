package outbox.testing.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.testing.SettableClock;

class InMemoryTransactionsTest {
  private final InMemoryEventStore store = new InMemoryEventStore(new SettableClock());
  private final InMemoryTransactions transactions = store.transactions();
  private final List<String> calls = new ArrayList<>();

  @Test
  void commitMakesTheEventVisibleAndThenRunsTheCallbacks() throws Exception {
    transactions.begin();
    insert(transactions.currentConnection(), "a");
    transactions.afterCommit(() -> calls.add("commit " + store.count(EventStatus.NEW)));
    transactions.afterRollback(() -> calls.add("rollback"));
    assertThat(store.find("a")).isEmpty();

    transactions.commit();

    assertThat(calls).containsExactly("commit 1");
    assertThat(transactions.isTransactionActive()).isFalse();
  }

  @Test
  void aThrowingUnitOfWorkIsRolledBack() {
    assertThatThrownBy(
            () ->
                transactions.run(
                    connection -> {
                      insert(connection, "a");
                      transactions.afterCommit(() -> calls.add("commit"));
                      transactions.afterRollback(() -> calls.add("rollback"));
                      throw new IOException("no");
                    }))
        .isInstanceOf(IOException.class);

    assertThat(store.findAll()).isEmpty();
    assertThat(calls).containsExactly("rollback");
  }

  @Test
  void aRollbackToASavepointTakesTheRowsAndTheCallbacksSince() throws Exception {
    publishAroundASavepoint(transactions);

    assertThat(store.find("before")).isPresent();
    assertThat(store.find("after")).isEmpty();
    assertThat(calls).containsExactly("before");
  }

  @Test
  void aContextBlindToSavepointsKeepsTheCallbacks() throws Exception {
    InMemoryTransactions blind = transactions.blindToSavepointRollbacks();
    assertThat(blind.seesSavepointRollbacks()).isFalse();

    publishAroundASavepoint(blind);

    assertThat(store.find("after")).isEmpty();
    assertThat(calls).containsExactly("before", "after");
  }

  @Test
  void closingAConnectionRollsBack() throws Exception {
    try (Connection connection = store.connections().getConnection()) {
      connection.setAutoCommit(false);
      insert(connection, "a");
    }
    assertThat(store.findAll()).isEmpty();
  }

  @Test
  void turningAutoCommitOnCommits() throws Exception {
    try (Connection connection = store.connections().getConnection()) {
      connection.setAutoCommit(false);
      insert(connection, "a");
      connection.setAutoCommit(true);
    }
    assertThat(store.find("a")).isPresent();
  }

  @Test
  void sqlIsRefusedWithTheReason() throws Exception {
    try (Connection connection = store.connections().getConnection()) {
      assertThatThrownBy(() -> connection.prepareStatement("SELECT 1"))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("prepareStatement")
          .hasMessageContaining("has no SQL");
    }
  }

  @Test
  void aConnectionOfAnotherStoreIsRefused() throws Exception {
    try (Connection foreign = new InMemoryEventStore().connections().getConnection()) {
      assertThatThrownBy(() -> insert(foreign, "a"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("connections()");
    }
  }

  private void publishAroundASavepoint(InMemoryTransactions context) throws SQLException {
    Connection connection = context.begin();
    insert(connection, "before");
    context.afterCommit(() -> calls.add("before"));
    Savepoint savepoint = connection.setSavepoint();
    insert(connection, "after");
    context.afterCommit(() -> calls.add("after"));
    connection.rollback(savepoint);
    context.commit();
  }

  private void insert(Connection connection, String id) {
    store.insertNew(
        connection, EventEnvelope.builder("Type").eventId(id).payloadJson("{}").build());
  }
}
