package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import outbox.contracts.support.LogCapture;
import outbox.contracts.support.Spec;
import outbox.dispatch.MultiOutboxDispatcher;
import outbox.model.EventStatus;
import outbox.model.MessageId;

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
      MessageId id = dispatcher.router().getOutbox("two").enqueue("Any", "{}").id();
      awaitTrue(() -> two.events.count(EventStatus.DEAD) == 1);
      awaitTrue(() -> log.errors().size() == 2);

      String event = "id=" + id + " type=Any attempts=1 store=two";
      assertThat(log.entries())
          .filteredOn(entry -> entry.startsWith("SEVERE"))
          .containsExactly(
              "SEVERE listener failed " + event,
              "SEVERE event dead "
                  + event
                  + " reason=gave up after 1 attempt, last with java.lang.IllegalStateException");
    }
  }

  @Test
  @Spec({"OBX-065", "OBX-096", "OBX-097", "OBX-101"})
  void enqueueAndClaimAreLoggedWithTheirStore() {
    tenant("one");
    Tenant two = tenant("two");
    handlers.registerAll(event -> {});
    MultiOutboxDispatcher dispatcher = start();
    try (LogCapture log = LogCapture.of("outbox")) {
      MessageId id =
          dispatcher
              .router()
              .getOutbox("two")
              .enqueue("Any", "{}", facts -> facts.correlationId("trace-7"))
              .id();
      awaitTrue(() -> done(two) == 1);
      fill(two, 1);
      dispatcher.wake("two");
      awaitTrue(() -> log.entries().contains("FINE claimed count=1 expired=0 store=two"));

      assertThat(log.entries())
          .contains("FINE enqueued topic=Any correlationId=trace-7 id=" + id + " store=two");
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
