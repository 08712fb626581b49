package outbox.testing;

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
    start(store().events(), handlers);
  }

  default void start(LeasedEventStore events, InboxHandler... handlers) {
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
    InboxHandlers registry = new InboxHandlers();
    for (InboxHandler handler : handlers) {
      registry.register(handler);
    }
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

  default void awaitStatus(InboxKey key, InboxStatus status) {
    awaitTrue(() -> status(key) == status);
  }
}
