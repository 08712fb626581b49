package outbox.contracts.engine;

import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.OutboxConfig;
import outbox.contracts.store.EventStoreContract;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.MetricsExporter;
import outbox.spi.TransactionRunner;
import outbox.spi.TxContext;

/** What the rules of the engine's contract ask for, in their own words. */
public interface OutboxUnderTest {

  LeasedEventStore store();

  ConnectionProvider connections();

  TxContext txContext();

  TransactionRunner transactions();

  Optional<EventStoreContract.Row> row(String eventId);

  /** Lets the store's now be later by this, as well as what it is already. */
  void advance(Duration by);

  void insertByOldVersion(String eventId, String headersJson);

  /** Closed after the test. */
  <T extends AutoCloseable> T closing(T closeable);

  /** Short enough for a test that waits for a takeover, long enough for a busy machine. */
  default OutboxConfig config() {
    return new OutboxConfig()
        .setLeaseDuration(Duration.ofSeconds(20))
        .setRetryBaseDelayMs(1)
        .setRetryMaxDelayMs(2)
        .setDrainTimeout(Duration.ofSeconds(5));
  }

  default OutboxDispatcher dispatcher(OutboxConfig config, DefaultListenerRegistry listeners) {
    return dispatcher(config, listeners, MetricsExporter.NOOP);
  }

  default OutboxDispatcher dispatcher(
      OutboxConfig config, DefaultListenerRegistry listeners, MetricsExporter metrics) {
    return closing(
        OutboxDispatcher.builder(connections(), store())
            .config(config)
            .listeners(listeners)
            .metrics(metrics)
            .transactions(transactions())
            .build());
  }

  default OutboxClient client(OutboxDispatcher dispatcher) {
    return new OutboxClient(txContext(), store(), dispatcher, MetricsExporter.NOOP);
  }

  /** A poller that looks often and is not started. */
  default OutboxPoller poller(OutboxDispatcher dispatcher) {
    return closing(
        new OutboxPoller(
            connections(), store(), dispatcher, Duration.ZERO, 200, 50, MetricsExporter.NOOP));
  }

  default OutboxPoller startedPoller(OutboxDispatcher dispatcher) {
    OutboxPoller poller = poller(dispatcher);
    poller.start();
    return poller;
  }

  default String publish(OutboxClient client, EventEnvelope event) throws Exception {
    transactions().run(connection -> client.publish(event));
    return event.eventId();
  }

  default String publish(OutboxClient client, String eventType) throws Exception {
    return publish(client, EventEnvelope.ofJson(eventType, "{}"));
  }

  /** Stores an event that anyone may claim. */
  default String store(EventEnvelope event) throws Exception {
    try (Connection connection = connections().getConnection()) {
      store().insertNew(connection, event);
      if (!connection.getAutoCommit()) {
        connection.commit();
      }
    }
    return event.eventId();
  }

  default void awaitStatus(String eventId, EventStatus status) {
    awaitTrue(() -> row(eventId).filter(row -> row.status() == status).isPresent());
  }

  default void awaitTrue(Callable<Boolean> condition) {
    await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(5)).until(condition);
  }
}
