package outbox.join;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.testing.memory.InMemoryEventStore;
import outbox.testing.memory.InMemoryTransactions;

class TransactionsTest {
  private static final EventEnvelope EVENT = EventEnvelope.ofJson("Any", "{}");

  private final InMemoryEventStore events = new InMemoryEventStore();
  private final List<String> calls = new ArrayList<>();
  private String refused = "";
  private final Connection pooled = open();

  @Test
  void severalCallsAreOneTransactionThatCommitsAndTheConnectionGoesBackAsItWas() throws Exception {
    pooled.setAutoCommit(false);

    String id = new Transactions(this::watched, null).together(this::insert);

    assertThat(events.find(id)).isPresent();
    assertThat(calls).contains("commit").last().isEqualTo("close");
    assertThat(pooled.getAutoCommit()).isFalse();
  }

  @Test
  void oneCallIsATransactionByItselfAndTheConnectionGoesBackAsItWas() throws Exception {
    pooled.setAutoCommit(false);

    boolean autoCommit = new Transactions(this::watched, null).call(TransactionsTest::autoCommit);

    assertThat(autoCommit).isTrue();
    assertThat(pooled.getAutoCommit()).isFalse();
    assertThat(calls).doesNotContain("commit");
  }

  @Test
  void whatFailsIsRolledBackAndTheConnectionGoesBackAsItWas() throws Exception {
    assertThatThrownBy(() -> new Transactions(this::watched, null).together(this::insertAndFail))
        .hasMessage("no good")
        .hasNoSuppressedExceptions();

    assertThat(events.findAll()).isEmpty();
    assertThat(pooled.getAutoCommit()).isTrue();
  }

  @Test
  void failureOfTheRollbackDoesNotHideWhyItWasRolledBack() {
    refused = "rollback";

    assertThatThrownBy(() -> new Transactions(this::watched, null).together(this::insertAndFail))
        .hasMessage("no good")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
  }

  @Test
  void whatRunsInTheThreadsTransactionIsPartOfIt() throws Exception {
    InMemoryTransactions transactions = events.transactions();
    Transactions inThread = new Transactions(this::watched, transactions);

    assertThatThrownBy(
            () ->
                transactions.run(
                    connection -> {
                      String id = inThread.together(this::insert);
                      assertThat(id).isEqualTo(EVENT.eventId());
                      throw new IllegalStateException("rolled back");
                    }))
        .hasMessage("rolled back");
    assertThat(events.findAll()).isEmpty();
    assertThat(calls).isEmpty();

    assertThat(inThread.together(this::insert)).isEqualTo(EVENT.eventId());
    assertThat(events.findAll()).hasSize(1);
  }

  private String insert(Connection connection) {
    events.insertNew(connection, EVENT);
    return EVENT.eventId();
  }

  private String insertAndFail(Connection connection) {
    insert(connection);
    throw new IllegalStateException("no good");
  }

  private static boolean autoCommit(Connection connection) {
    try {
      return connection.getAutoCommit();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** The connection of the pool, which stays open when it is given back, and refuses one method. */
  private Connection watched() {
    return (Connection)
        Proxy.newProxyInstance(
            TransactionsTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, args) -> {
              calls.add(method.getName());
              if (method.getName().equals(refused)) {
                throw new SQLException("broken pipe", "08006");
              }
              if (method.getName().equals("close")) {
                return null;
              }
              try {
                return method.invoke(pooled, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private Connection open() {
    try {
      return events.connections().getConnection();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
