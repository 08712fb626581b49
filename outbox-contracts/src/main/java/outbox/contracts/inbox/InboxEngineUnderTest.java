package outbox.contracts.inbox;

import java.sql.Connection;
import java.time.Duration;
import outbox.OutboxConfig;
import outbox.dispatch.OutboxDispatcher;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxHandlers;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxStatus;
import outbox.poller.OutboxPoller;
import outbox.spi.LeasedEventStore;
import outbox.spi.MetricsExporter;

/** The engine of the outbox on the messages of an inbox. */
interface InboxEngineUnderTest extends InboxUnderTest {

  /** A dispatcher and a poller on the inbox, with a lease that a test can wait for. */
  default void start(InboxHandler... handlers) {
    start(store().events(), all(handlers));
  }

  default void start(LeasedEventStore events, InboxHandler... handlers) {
    start(events, all(handlers));
  }

  default void start(LeasedEventStore events, InboxHandlers handlers) {
    OutboxConfig config =
        new OutboxConfig()
            .setLeaseDuration(Duration.ofSeconds(3))
            .setRetryBaseDelayMs(1)
            .setRetryMaxDelayMs(2);
    poller(config, events, handlers).start();
  }

  /** A poller that is not started, and a dispatcher. */
  default OutboxPoller poller(
      OutboxConfig config, LeasedEventStore events, InboxHandler... handlers) {
    return poller(config, events, all(handlers));
  }

  /** A poller that is not started, and a dispatcher. */
  default OutboxPoller poller(
      OutboxConfig config, LeasedEventStore events, InboxHandlers registry) {
    OutboxDispatcher dispatcher =
        closing(
            OutboxDispatcher.builder(connections(), events)
                .config(config)
                .listeners(registry)
                .transactions(transactions())
                .build());
    return closing(
        new OutboxPoller(
            connections(), events, dispatcher, Duration.ZERO, 50, 50, MetricsExporter.NOOP));
  }

  /** Something that commits or rolls back with the connection's transaction. */
  default void write(Connection connection, String name) {
    store().see(connection, new InboxKey("effects", name), null);
  }

  default boolean written(String name) {
    return work().get(new InboxKey("effects", name)).isPresent();
  }

  private static InboxHandlers all(InboxHandler... handlers) {
    InboxHandlers registry = new InboxHandlers();
    for (InboxHandler handler : handlers) {
      registry.register(handler);
    }
    return registry;
  }

  default void awaitStatus(InboxKey key, InboxStatus status) {
    awaitTrue(() -> status(key) == status);
  }
}
