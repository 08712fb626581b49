package outbox.contracts.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.AggregateType;
import outbox.EventEnvelope;
import outbox.EventType;
import outbox.OutboxClient;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;

/** The life of an event that nothing stands in the way of, from publish to its end. */
interface AcceptanceRules extends OutboxUnderTest {

  /** Event types as an application has them. */
  enum UserEvents implements EventType {
    USER_CREATED
  }

  /** Aggregate types as an application has them. */
  enum Aggregates implements AggregateType {
    USER
  }

  @Test
  @Spec({"FRM-01", "FRM-23", "FRM-44", "FRM-87"})
  default void rolledBackTransactionLeavesNoRowAndDeliversNothing() throws Exception {
    BlockingQueue<EventEnvelope> received = new LinkedBlockingQueue<>();
    OutboxClient client =
        client(dispatcher(config(), new DefaultListenerRegistry().registerAll(received::add)));
    EventEnvelope event = EventEnvelope.ofJson("UserCreated", "{}");

    assertThatThrownBy(
            () ->
                transactions()
                    .run(
                        connection -> {
                          client.publish(event);
                          throw new IllegalStateException("business says no");
                        }))
        .hasMessage("business says no");

    assertThat(row(event.eventId())).isEmpty();
    String after = publish(client, "UserCreated");
    assertThat(received.poll(60, TimeUnit.SECONDS)).extracting("eventId").isEqualTo(after);
    assertThat(received).isEmpty();
  }

  @Test
  @Spec({
    "FRM-02", "FRM-03", "FRM-04", "FRM-12", "FRM-22", "FRM-35", "FRM-42", "FRM-43", "FRM-44",
    "FRM-88"
  })
  default void committedEventIsDeliveredFromMemoryAndEndsDone() throws Exception {
    BlockingQueue<EventEnvelope> received = new LinkedBlockingQueue<>();
    OutboxClient client =
        client(
            dispatcher(
                config(), new DefaultListenerRegistry().register("UserCreated", received::add)));
    EventEnvelope event = EventEnvelope.ofJson("UserCreated", "{\"id\":123}");
    AtomicInteger inserted = new AtomicInteger();

    transactions()
        .run(
            connection -> {
              assertThat(client.publish(event)).isEqualTo(event.eventId());
              assertThat(txContext().currentConnection()).isSameAs(connection);
              inserted.addAndGet(store().inspect(connection, List.of(event.eventId())).size());
              assertThat(received).isEmpty();
            });

    assertThat(inserted).hasValue(1);
    assertThat(received.poll(60, TimeUnit.SECONDS)).isSameAs(event);
    awaitStatus(event.eventId(), EventStatus.DONE);
    assertThat(row(event.eventId()).orElseThrow().doneAt()).isNotNull();
  }

  @Test
  @Spec({"FRM-38", "FRM-91", "FRM-92", "FRM-40", "FRM-41"})
  default void enumTypesAndTenantReachTheListenerFromMemoryAndFromTheDatabase() throws Exception {
    BlockingQueue<EventEnvelope> received = new LinkedBlockingQueue<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry().register(UserEvents.USER_CREATED, received::add));
    EventEnvelope.Builder builder =
        EventEnvelope.builder(UserEvents.USER_CREATED)
            .aggregateType(Aggregates.USER)
            .aggregateId("user-123")
            .tenantId("tenant-1")
            .header("trace", "abc")
            .payloadJson("{}");
    publish(client(dispatcher), builder.build());
    store(builder.eventId("from-the-database").build());
    poller(dispatcher).poll();

    for (int i = 0; i < 2; i++) {
      EventEnvelope event = received.poll(60, TimeUnit.SECONDS);
      assertThat(event).isNotNull();
      assertThat(event.eventType()).isEqualTo("USER_CREATED");
      assertThat(event.aggregateType()).isEqualTo("USER");
      assertThat(event.aggregateId()).isEqualTo("user-123");
      assertThat(event.tenantId()).isEqualTo("tenant-1");
      assertThat(event.headers()).containsEntry("trace", "abc");
    }
  }

  @Test
  @Spec("FRM-24")
  default void publishOutsideATransactionIsRefused() {
    OutboxClient client = client(dispatcher(config(), new DefaultListenerRegistry()));

    assertThatThrownBy(() -> client.publish(EventEnvelope.ofJson("Any", "{}")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("active transaction");
  }

  @Test
  @Spec("FRM-52")
  default void publishLeavesTheConnectionOpenAndTheTransactionToTheCaller() throws Exception {
    OutboxClient client = client(dispatcher(config(), new DefaultListenerRegistry()));

    transactions()
        .run(
            connection -> {
              client.publish(EventEnvelope.ofJson("Any", "{}"));
              Connection current = txContext().currentConnection();
              assertThat(current.isClosed()).isFalse();
              assertThat(current.getAutoCommit()).isFalse();
            });
  }
}
