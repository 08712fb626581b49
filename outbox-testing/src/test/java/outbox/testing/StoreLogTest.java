package outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import outbox.dispatch.MultiOutboxDispatcher;
import outbox.model.EventStatus;

/** What is logged about a message names its store. */
class StoreLogTest extends ManyStores {
  @Test
  @Spec({"OBX-065", "OBX-101", "IBX-090", "IBX-113"})
  void whatHappensToAMessageIsLoggedWithItsStore() {
    config.setRetryMaxAttempts(1);
    tenant("one");
    Tenant two = tenant("two");
    handlers.registerAll(
        event -> {
          throw new IllegalStateException("refused");
        });
    MultiOutboxDispatcher dispatcher = start();
    try (LogCapture log = LogCapture.of("outbox")) {
      dispatcher.router().getOutbox("two").enqueue("Any", "{}");
      awaitTrue(() -> two.events.count(EventStatus.DEAD) == 1);
      awaitTrue(() -> log.errors().size() == 2);

      assertThat(log.errors())
          .anySatisfy(line -> assertThat(line).contains("listener failed", "attempts=1 store=two"))
          .anySatisfy(line -> assertThat(line).contains("event dead", "attempts=1 store=two"));
    }
  }

  @Test
  @Spec({"OBX-049", "OBX-101"})
  void messageWithoutAListenerIsWarnedOfWithItsStore() {
    Tenant two = tenant("two");
    MultiOutboxDispatcher dispatcher = start();
    try (LogCapture log = LogCapture.of("outbox")) {
      dispatcher.router().getOutbox("two").enqueue("Any", "{}");
      awaitTrue(() -> two.connects.get() > 0 && !log.warnings().isEmpty());

      assertThat(log.warnings())
          .anySatisfy(line -> assertThat(line).contains("no listener", "type=Any", "store=two"));
    }
  }
}
