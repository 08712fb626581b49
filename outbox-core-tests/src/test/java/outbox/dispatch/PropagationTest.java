package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxClient;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.MetricsExporter;
import outbox.spi.Propagation;
import outbox.testing.memory.InMemoryEventStore;
import outbox.testing.memory.InMemoryTransactions;

class PropagationTest {
  private final List<String> calls = new CopyOnWriteArrayList<>();
  private final InMemoryEventStore store = new InMemoryEventStore();
  private final InMemoryTransactions transactions = store.transactions();
  private final Propagation propagation =
      new Propagation() {
        @Override
        public Map<String, String> headers(String topic) {
          return Map.of("tenant", "of " + topic, "fixed", "propagated");
        }

        @Override
        public <T> T around(EventEnvelope event, Callable<T> listeners) throws Exception {
          calls.add("before " + event.headers().get("tenant"));
          T result = listeners.call();
          calls.add("after");
          return result;
        }
      };

  @Test
  void goesFromPublisherToListenersInTheHeaders() throws Exception {
    try (OutboxDispatcher dispatcher =
        OutboxDispatcher.builder(store.connections(), store)
            .listeners(
                new DefaultListenerRegistry()
                    .register(
                        "paid",
                        event ->
                            calls.add(
                                event.headers().get("tenant")
                                    + " "
                                    + event.headers().get("fixed"))))
            .propagation(propagation)
            .build()) {
      OutboxClient client = new OutboxClient(transactions, store, dispatcher, MetricsExporter.NOOP);
      EventEnvelope event =
          EventEnvelope.builder("paid").header("fixed", "own").payloadJson("{}").build();
      transactions.run(connection -> client.publish(event));

      await().atMost(Duration.ofSeconds(30)).until(() -> calls.size() == 3);
      assertThat(calls).containsExactly("before of paid", "of paid own", "after");
    }
    assertThat(store.findAll().get(0).event().headersJson()).contains("of paid", "own");
  }

  @Test
  void enqueuedMessagesTakeItAlong() {
    Outbox outbox = OutboxBuilder.of(store.connections(), store).propagation(propagation).build();

    outbox.enqueue("paid", "{}");

    assertThat(store.findAll().get(0).event().headersJson()).contains("of paid");
  }
}
