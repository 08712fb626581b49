package outbox.contracts.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.contracts.support.LogCapture;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.model.MessageId;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;

/** What is logged, and what never is. */
interface QueueLogRules extends QueueUnderTest {

  @Test
  @Spec({"OBX-096", "OBX-097", "OBX-100", "OBX-101"})
  default void enqueueClaimAndReapAreLoggedWithTheStoresName() {
    try (LogCapture log = LogCapture.of("outbox")) {
      MessageId id =
          named().enqueue("order.created", "{}", facts -> facts.correlationId("trace-7")).id();
      named().claim(ME, LEASE, 10);
      advance(PAST_LEASE);
      named().reapExpired();

      assertThat(log.entries())
          .containsExactly(
              "FINE enqueued topic=order.created correlationId=trace-7 id=" + id + " store=shop-7",
              "FINE claimed count=1 expired=0 owner=me store=shop-7",
              "INFO expired leases cleared count=1 store=shop-7");
    }
  }

  @Test
  @Spec({"OBX-096", "OBX-101"})
  default void everyWayToEnqueueIsLoggedWithTopicAndCorrelationId() throws Exception {
    List<MessageId> ids = new ArrayList<>();
    Instant due = now().plusSeconds(60);
    EventEnvelope whole =
        EventEnvelope.builder("whole").payloadJson("{}").correlationId("trace-8").build();
    try (LogCapture log = LogCapture.of("outbox")) {
      ids.add(named().enqueue("alone", "{}").id());
      ids.add(named().enqueue("alone", "{}", facts -> facts.correlationId("trace-1")).id());
      ids.add(
          named().enqueue("alone", "{}", facts -> facts.correlationId("trace-2").dueAt(due)).id());
      ids.add(named().enqueue(whole).id());
      transactions()
          .run(
              connection ->
                  ids.add(
                      named()
                          .enqueue("joined", "{}", facts -> facts.correlationId("trace-3"))
                          .id()));
      try (Connection connection = connections().getConnection()) {
        connection.setAutoCommit(false);
        ids.add(named().enqueue(connection, "given", "{}").id());
        ids.add(named().enqueue(connection, traced("trace-4", null)).id());
        ids.add(named().enqueue(connection, traced("trace-5", due)).id());
        connection.commit();
      }
      named()
          .enqueueAll(
              List.of(
                  EventEnvelope.builder("many").eventId("m-1").payloadJson("{}").build(),
                  EventEnvelope.builder("many")
                      .eventId("m-2")
                      .correlationId("trace-6")
                      .payloadJson("{}")
                      .build()))
          .forEach(enqueued -> ids.add(enqueued.id()));

      assertThat(log.entries())
          .containsExactly(
              enqueued("alone", "null", ids.get(0)),
              enqueued("alone", "trace-1", ids.get(1)),
              enqueued("alone", "trace-2", ids.get(2)),
              enqueued("whole", "trace-8", ids.get(3)),
              enqueued("joined", "trace-3", ids.get(4)),
              enqueued("given", "null", ids.get(5)),
              enqueued("given", "trace-4", ids.get(6)),
              enqueued("given", "trace-5", ids.get(7)),
              enqueued("many", "null", ids.get(8)),
              enqueued("many", "trace-6", ids.get(9)));
    }
  }

  private static String enqueued(String topic, String correlationId, MessageId id) {
    return "FINE enqueued topic="
        + topic
        + " correlationId="
        + correlationId
        + " id="
        + id
        + " store=shop-7";
  }

  @Test
  @Spec("OBX-097")
  default void aClaimThatFindsNothingOrOnlyWhatHasExpiredIsLoggedToo() {
    MessageId late =
        enqueue(
            EventEnvelope.builder("late")
                .payloadJson("{}")
                .expiresAt(now().minusSeconds(1))
                .build());
    try (LogCapture log = LogCapture.of(Outbox.class.getName())) {
      named().claim(ME, LEASE, 10);
      named().claim(OTHER, LEASE, 10);

      assertThat(log.entries())
          .containsExactly(
              "SEVERE message ended DEAD id=" + late + " reason=expired store=shop-7",
              "FINE claimed count=0 expired=1 owner=me store=shop-7",
              "FINE claimed count=0 expired=0 owner=me store=shop-7",
              "FINE claimed count=0 expired=0 owner=other store=shop-7");
    }
  }

  @Test
  @Spec("OBX-097")
  default void theEnginesClaimsAreLogged() {
    enqueue("one", 3);
    OutboxDispatcher dispatcher =
        dispatcher(config(), new DefaultListenerRegistry().registerAll(event -> {}));
    OutboxPoller poller = poller(dispatcher);
    try (LogCapture log = LogCapture.of("outbox.dispatch.StorePoller")) {
      poller.poll();

      assertThat(log.entries()).contains("FINE claimed count=3 expired=0");
      assertThat(log.entries()).allMatch(entry -> entry.startsWith("FINE claimed count="));
    }
  }

  @Test
  @Spec("OBX-100")
  default void aReapThatFindsNothingIsLoggedToo() {
    try (LogCapture log = LogCapture.of("outbox")) {
      named().reapExpired();

      assertThat(log.entries()).containsExactly("INFO expired leases cleared count=0 store=shop-7");
    }
  }

  @Test
  @Spec("OBX-096")
  default void messagesAreLoggedOnALoggerOfTheirOwn() {
    try (LogCapture messages = LogCapture.of("outbox.messages");
        LogCapture queue = LogCapture.of(Outbox.class.getName())) {
      outbox()
          .enqueueAll(
              List.of(EventEnvelope.ofJson("one", "{}"), EventEnvelope.ofJson("two", "{}")));

      assertThat(messages.all()).hasSize(2);
      assertThat(queue.all()).isEmpty();
    }
  }

  @Test
  @Spec("OBX-110")
  default void anUnusualLeaseIsWarnedOfOnce() {
    Outbox outbox = outbox();
    try (LogCapture log = LogCapture.of("outbox")) {
      outbox.claim(ME, Duration.ofSeconds(10), 1);
      outbox.claim(ME, Duration.ofMinutes(5), 1);
      assertThat(log.warnings()).isEmpty();

      outbox.claim(ME, Duration.ofSeconds(9), 1);
      outbox.claim(ME, Duration.ofSeconds(301), 1);

      assertThat(log.warnings()).singleElement().asString().contains("lease=PT9S");
    }
  }

  @Test
  @Spec("OBX-110")
  default void aLeaseThatIsTooShortOrTooLongIsWarnedOfWhereverItIsAskedFor() {
    MessageId id = enqueue("topic");
    try (LogCapture log = LogCapture.of("outbox")) {
      outbox().claim(ME, Duration.ofSeconds(10).minusMillis(1), 1);
      outbox().renew(ME, List.of(id), Duration.ofMinutes(5).plusMillis(1));

      assertThat(log.entries())
          .filteredOn(entry -> entry.startsWith("WARNING"))
          .extracting(entry -> entry.substring(0, entry.indexOf(':')))
          .containsExactly(
              "WARNING lease=PT9.999S is outside PT10S to PT5M",
              "WARNING lease=PT5M0.001S is outside PT10S to PT5M");
    }
  }

  @Test
  @Spec("OBX-119")
  default void noPayloadIsEverLogged() throws Exception {
    String secret = "s3cr3t-payload";
    DefaultListenerRegistry listeners =
        new DefaultListenerRegistry()
            .register("good", event -> {})
            .register(
                "bad",
                event -> {
                  throw new IllegalStateException("cannot parse");
                });
    try (LogCapture log = LogCapture.of("outbox")) {
      MessageId dead = enqueueSecret("bad", secret);
      MessageId done = enqueueSecret("good", secret);
      insertByOldVersion("undecodable", "{\"a\": 1}");
      MessageId expired =
          enqueue(
              EventEnvelope.builder("good")
                  .payloadJson(secret)
                  .expiresAt(now().minusSeconds(1))
                  .build());
      OutboxDispatcher dispatcher = dispatcher(config().setRetryMaxAttempts(2), listeners);
      startedPoller(dispatcher);
      awaitStatus(done.value(), EventStatus.DONE);
      awaitStatus(dead.value(), EventStatus.DEAD);
      awaitStatus(expired.value(), EventStatus.DEAD);
      awaitStatus("undecodable", EventStatus.DEAD);
      publish(client(dispatcher), EventEnvelope.ofJson("good", secret));
      MessageId failed = enqueueSecret("nobody", secret);
      outbox().claim(ME, LEASE, 100);
      outbox().fail(ME, List.of(failed), "broken");

      assertThat(log.all())
          .isNotEmpty()
          .noneMatch(line -> line.contains("s3cr3t") || line.contains("\"old\""));
    }
  }

  @Test
  default void textFromOutsideBeginsNoLineOfItsOwn() throws Exception {
    String forged = "x\r\nFORGED \u2028FORGED";
    DefaultListenerRegistry listeners =
        new DefaultListenerRegistry()
            .register(
                forged,
                event -> {
                  throw new IllegalStateException(forged);
                });
    try (LogCapture log = LogCapture.of("outbox")) {
      EventEnvelope event =
          EventEnvelope.builder(forged)
              .eventId("id\nFORGED")
              .tenantId(forged)
              .correlationId(forged)
              .idempotencyKey(forged)
              .payloadJson("{}")
              .build();
      outbox().enqueue(event);
      outbox().enqueue(event);
      OutboxDispatcher dispatcher = dispatcher(config().setRetryMaxAttempts(1), listeners);
      startedPoller(dispatcher);
      awaitStatus("id\nFORGED", EventStatus.DEAD);
      outbox().deadLetters().replay(new MessageId("id\nFORGED"), forged);

      assertThat(log.all())
          .isNotEmpty()
          .noneMatch(line -> line.matches("(?s).*[\\n\\r\\u2028]FORGED.*"));
    }
  }

  private MessageId enqueueSecret(String topic, String payload) {
    return outbox().enqueue(topic, payload).id();
  }

  private Outbox named() {
    return builder().storeName("shop-7").build();
  }

  private static EventEnvelope traced(String correlationId, @Nullable Instant due) {
    return EventEnvelope.builder("given")
        .payloadJson("{}")
        .correlationId(correlationId)
        .dueAt(due)
        .build();
  }
}
