package outbox.contracts.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.contracts.support.LogCapture;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.MetricsExporter;
import outbox.spi.TxContext;

/** An event that is published twice is delivered once. */
interface DuplicateRules extends OutboxUnderTest {

  @Test
  @Spec({"IDEM-14", "IDEM-41"})
  default void aDuplicateIsNotDeliveredAgain() throws Exception {
    List<String> received = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher = dispatcher(config(), receiving(received));
    OutboxClient client = client(dispatcher);
    List<String> ids = new ArrayList<>();

    transactions()
        .run(
            connection -> {
              ids.add(client.publish(keyed("k")));
              ids.add(client.publish(keyed("k")));
            });
    awaitStatus(ids.get(0), EventStatus.DONE);
    try (LogCapture log = LogCapture.of("outbox.messages")) {
      transactions().run(connection -> ids.add(client.publish(keyed("k"))));
      assertThat(log.debugs())
          .anyMatch(line -> line.contains("OUTBOX_WORKER_DUPLICATE tenant=acme key=k"));
    }
    String last = publish(client, "Last");
    awaitStatus(last, EventStatus.DONE);
    dispatcher.close();

    assertThat(ids).hasSize(3).containsOnly(ids.get(0));
    assertThat(received).containsExactlyInAnyOrder(ids.get(0), last);
  }

  @Test
  default void theSameEnvelopePublishedAgainIsADuplicateToo() throws Exception {
    List<String> received = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher = dispatcher(config(), receiving(received));
    OutboxClient client = client(dispatcher);
    EventEnvelope event = keyed("k");

    publish(client, event);
    publish(client, event);
    String last = publish(client, "Last");
    awaitStatus(event.eventId(), EventStatus.DONE);
    awaitStatus(last, EventStatus.DONE);
    dispatcher.close();

    assertThat(received).containsExactlyInAnyOrder(event.eventId(), last);
  }

  @Test
  default void afterARolledBackSavepointTheKeyIsNewAgain() throws Exception {
    publishesAroundASavepoint(false);
  }

  @Test
  default void afterAnUnseenRolledBackSavepointTheKeyIsNewAgain() throws Exception {
    publishesAroundASavepoint(true);
  }

  private void publishesAroundASavepoint(boolean blind) throws Exception {
    List<String> received = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher = dispatcher(config(), receiving(received));
    List<String> ids = new ArrayList<>();

    transactions()
        .run(
            connection -> {
              TxContext context =
                  blind ? new SavepointRules.BlindContext(txContext()) : txContext();
              OutboxClient client =
                  new OutboxClient(context, store(), dispatcher, MetricsExporter.NOOP);
              Savepoint savepoint = connection.setSavepoint();
              ids.add(client.publish(keyed("k")));
              connection.rollback(savepoint);
              ids.add(client.publish(keyed("k")));
              ids.add(client.publish(keyed("k")));
            });

    awaitStatus(ids.get(1), EventStatus.DONE);
    dispatcher.close();
    assertThat(ids.get(1)).isNotEqualTo(ids.get(0)).isEqualTo(ids.get(2));
    assertThat(row(ids.get(0))).isEmpty();
    assertThat(received).containsExactly(ids.get(1));
  }

  private static DefaultListenerRegistry receiving(List<String> received) {
    return new DefaultListenerRegistry().registerAll(event -> received.add(event.eventId()));
  }

  private static EventEnvelope keyed(String key) {
    return EventEnvelope.builder("Keyed")
        .tenantId("acme")
        .idempotencyKey(key)
        .payloadJson("{}")
        .build();
  }
}
