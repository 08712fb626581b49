package outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.testing.OutboxAssertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxClient;
import outbox.OutboxConfig;
import outbox.dispatch.OutboxDispatcher;
import outbox.inbox.Inbox;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.memory.InMemoryEventStore;

class OutboxExtensionTest {
  private final List<String> handled = Collections.synchronizedList(new ArrayList<>());

  @RegisterExtension
  final OutboxExtension extension =
      OutboxExtension.inMemory(
          outbox -> outbox.listener("Any", event -> handled.add(event.eventId())));

  private TestOutbox ofSetup;

  @BeforeEach
  void givesSetupsTheOutboxOfTheTest(TestOutbox outbox) {
    ofSetup = outbox;
  }

  @RepeatedTest(2)
  void eachTestHasAnOutboxOfItsOwn(TestOutbox outbox, PublishedEvents events) {
    assertThat(outbox).isSameAs(ofSetup);
    assertThat(events).isEmpty();

    String id = outbox.publish("Any", "{}");
    outbox.runAll();

    assertThat(handled).containsExactly(id);
  }

  @Test
  void allPartsBelongTogether(
      TestOutbox outbox,
      TestInbox inbox,
      SettableClock clock,
      OutboxClient client,
      Outbox queue,
      Inbox intake) {
    assertThat(client).isSameAs(outbox.client());
    assertThat(queue).isSameAs(outbox.queue());
    assertThat(intake).isSameAs(inbox.inbox());
    assertThat(clock).isSameAs(outbox.clock()).isSameAs(inbox.clock());
  }

  @Test
  void aDriverSaysWhenTheOutboxDoesNotComeToRest() {
    CountDownLatch released = new CountDownLatch(1);
    InMemoryEventStore store = new InMemoryEventStore();
    try (OutboxDispatcher dispatcher =
            OutboxDispatcher.builder(store.connections(), store)
                .config(new OutboxConfig())
                .listeners(new DefaultListenerRegistry().register("Any", event -> released.await()))
                .build();
        OutboxDriver driver = OutboxDriver.of(dispatcher, Duration.ofMillis(50))) {
      store
          .connections()
          .inAutoCommit(
              connection -> store.insert(connection, EventEnvelope.ofJson("Any", "{}"), null));

      assertThatThrownBy(driver::runAll)
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining(
              "not idle: 1 events are still being handled after PT0.05S; a listener hangs");
      released.countDown();
    }
  }
}
