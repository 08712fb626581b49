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
    InboxHandlers registry = new InboxHandlers();
    for (InboxHandler handler : handlers) {
      registry.register(handler);
    }
    OutboxConfig config =
        new OutboxConfig()
            .setLeaseDuration(Duration.ofSeconds(3))
            .setRetryBaseDelayMs(1)
            .setRetryMaxDelayMs(2);
    OutboxDispatcher dispatcher =
        closing(
            OutboxDispatcher.builder(connections(), events)
                .config(config)
                .listeners(registry)
                .transactions(transactions())
                .build());
    OutboxPoller poller =
        closing(
            new OutboxPoller(
                connections(), events, dispatcher, Duration.ZERO, 50, 50, MetricsExporter.NOOP));
    poller.start();
  }

  default void awaitStatus(InboxKey key, InboxStatus status) {
    awaitTrue(() -> status(key) == status);
  }
}
