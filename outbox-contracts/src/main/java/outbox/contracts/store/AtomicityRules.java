package outbox.contracts.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;

/** What belongs together is stored together, or not at all. */
interface AtomicityRules extends StoreUnderTest {

  @Test
  default void manyEventsAreInsertedInTheCallersTransactionIfItHasOne() throws SQLException {
    List<EventEnvelope> events = List.of(event("a"), event("b"), event("c"));
    try (Connection connection = beginTransaction()) {
      store().insertAll(connection, events, null);
      assertThat(row("a")).isEmpty();
      connection.rollback();
    }
    assertThat(claim("me")).isEmpty();

    call(
        connection -> {
          store().insertAll(connection, events, null);
          return events;
        });

    assertThat(claimIds("me")).containsExactlyInAnyOrder("a", "b", "c");
  }

  @Test
  @Spec("OBX-091")
  default void severalCallsAreOneTransaction() throws SQLException {
    try (Connection connection = open()) {
      assertThatThrownBy(
              () ->
                  store()
                      .inTransaction(
                          connection,
                          () -> {
                            store().insertNew(connection, event("a"));
                            store().insertNew(connection, event("b"));
                            throw new IllegalStateException("no");
                          }))
          .hasMessage("no");
      assertThat(row("a")).isEmpty();
      assertThat(connection.getAutoCommit()).isTrue();
      store()
          .inTransaction(
              connection,
              () -> {
                store().insertNew(connection, event("c"));
                assertThat(row("c")).isEmpty();
                return true;
              });
    }
    assertThat(claimIds("me")).containsExactly("c");
  }
}
