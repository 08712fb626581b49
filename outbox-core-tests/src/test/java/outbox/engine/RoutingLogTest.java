package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.LogCapture;
import outbox.model.MessageId;
import outbox.routing.OutboxDatabase;
import outbox.routing.OutboxStore;
import outbox.routing.OutboxStoreProvider;
import outbox.testing.memory.InMemoryEventStore;

/** What the stores of many databases say in the log. */
class RoutingLogTest {
  private final InMemoryEventStore events = new InMemoryEventStore();

  @Test
  void aMessageThatAnotherHoldsIsReportedForEachChangeThatWasRefused() throws SQLException {
    MessageId id = new MessageId("m-1");
    events
        .connections()
        .inAutoCommit(
            connection -> {
              events.insertNew(
                  connection,
                  EventEnvelope.builder("Any").eventId(id.value()).payloadJson("{}").build());
              return id;
            });
    OutboxStore store = store("tenant-1");
    assertThat(store("other").claimDue(1)).hasSize(1);

    try (LogCapture log = LogCapture.of("outbox.routing")) {
      store.markDispatched(id);
      store.reschedule(id, Duration.ZERO, "busy");
      store.fail(id, "broken");

      String lost =
          "INFO not leased to this store object any more id=m-1 store=tenant-1; see the lease of"
              + " OutboxStore.Builder";
      assertThat(log.entries()).containsExactly(lost, lost, lost);
    }
  }

  @Test
  void aMessageOfThisStoreIsNotReported() throws SQLException {
    OutboxStore store = store("tenant-1");
    try (LogCapture log = LogCapture.of("outbox.routing")) {
      events
          .connections()
          .inAutoCommit(
              connection -> {
                events.insertNew(connection, EventEnvelope.ofJson("Any", "{}"));
                return 1;
              });
      store.markDispatched(store.claimDue(1).get(0).id());

      assertThat(log.entries()).isEmpty();
    }
  }

  @Test
  void aDiscoveryThatFailsIsReportedOnceAndSoIsItsEnd() {
    AtomicInteger looks = new AtomicInteger();
    try (LogCapture log = LogCapture.of("outbox.routing");
        OutboxStoreProvider provider =
            OutboxStoreProvider.discovered(
                () -> {
                  int look = looks.incrementAndGet();
                  if (look == 2 || look == 3 || look == 5) {
                    throw new IllegalStateException("the catalogue is down");
                  }
                  return List.of(OutboxDatabase.of("a", "jdbc:a"));
                },
                Duration.ofMillis(5),
                database -> store(database.identifier()))) {
      await().atMost(Duration.ofSeconds(60)).until(() -> looks.get() > 6);

      assertThat(provider.stores()).hasSize(1);
      assertThat(log.entries())
          .containsExactly(
              "INFO databases discovered before=0 now=1",
              "SEVERE discovery of databases failed, keeping those known=1",
              "INFO discovery of databases works again count=1",
              "SEVERE discovery of databases failed, keeping those known=1",
              "INFO discovery of databases works again count=1");
    }
  }

  private OutboxStore store(String identifier) {
    return OutboxStore.builder(identifier, events.connections(), events).build();
  }
}
