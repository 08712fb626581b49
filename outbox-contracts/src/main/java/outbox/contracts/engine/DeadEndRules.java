package outbox.contracts.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.OutboxConfig;
import outbox.PermanentFailureException;
import outbox.contracts.support.LogCapture;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.QueuedEvent;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;

/** What becomes of events that no listener can or may handle. */
interface DeadEndRules extends OutboxUnderTest {

  @Test
  @Spec({"FRM-67", "FRM-84"})
  default void undecodableRowEndsDeadAndIsLoggedWithoutItsContent() {
    insertByOldVersion("row-7", "[\"secret\"]");
    OutboxDispatcher dispatcher =
        dispatcher(config(), new DefaultListenerRegistry().registerAll(event -> {}));

    try (LogCapture log = LogCapture.of("outbox")) {
      poller(dispatcher).poll();
      awaitStatus("row-7", EventStatus.DEAD);

      assertThat(log.entries())
          .filteredOn(entry -> entry.contains("undecodable event="))
          .containsExactly(
              "SEVERE undecodable event=OutboxEvent[row-7 Old attempts=0] cause=malformed JSON"
                  + " object of strings: expected '{' at position 0");
      assertThat(log.all()).noneMatch(line -> line.contains("secret"));
      assertThat(log.all()).noneMatch(line -> line.contains("\"old\""));
    }
    assertThat(row("row-7").orElseThrow().lastError()).contains("malformed JSON");
  }

  @Test
  @Spec("FRM-67")
  default void rowWhoseIdIsNoneEndsDeadAndHoldsUpNoOther() throws Exception {
    insertByOldVersion("", "{}");
    String good = store(EventEnvelope.ofJson("Good", "{}"));
    OutboxDispatcher dispatcher =
        dispatcher(config(), new DefaultListenerRegistry().registerAll(event -> {}));

    poller(dispatcher).poll();

    awaitStatus(good, EventStatus.DONE);
    awaitStatus("", EventStatus.DEAD);
    assertThat(row("").orElseThrow().lastError()).startsWith("undecodable");
  }

  @Test
  @Spec("OBX-049")
  default void eventWithoutListenerIsLeftToOtherNodesAndWarnedOfOnce() throws Exception {
    OutboxConfig config = config().setUnhandledDelay(Duration.ofMinutes(10));
    OutboxDispatcher knowsNothing = dispatcher(config, new DefaultListenerRegistry());
    OutboxClient client = client(knowsNothing);

    try (LogCapture log = LogCapture.of("outbox")) {
      String first = publish(client, "Unknown");
      String second = publish(client, "Unknown");
      assertThat(row(first).orElseThrow().owner()).isNull();
      poller(knowsNothing).poll();
      awaitTrue(
          () ->
              row(second)
                  .filter(row -> row.owner() == null)
                  .filter(row -> row.availableAt().isAfter(row.createdAt().plusSeconds(300)))
                  .isPresent());

      assertThat(row(first).orElseThrow().attempts()).isZero();
      assertThat(log.warnings()).filteredOn(line -> line.contains("no listener")).hasSize(1);
    }
  }

  @Test
  default void eventWithoutListenerEndsDeadAtItsAgeLimit() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(config().setUnhandledMaxAge(Duration.ZERO), new DefaultListenerRegistry());
    String id = store(EventEnvelope.ofJson("Unknown", "{}"));

    poller(dispatcher).poll();

    awaitStatus(id, EventStatus.DEAD);
    assertThat(row(id).orElseThrow().lastError()).contains("no listener");
  }

  @Test
  default void expiredEventEndsDeadWithoutBeingHandled() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(), new DefaultListenerRegistry().registerAll(event -> runs.incrementAndGet()));

    String id =
        publish(
            client(dispatcher),
            EventEnvelope.builder("Any")
                .payloadJson("{}")
                .expiresAt(Instant.now().minusSeconds(1))
                .build());

    awaitStatus(id, EventStatus.DEAD);
    assertThat(row(id).orElseThrow().lastError()).isEqualTo("expired");
    assertThat(runs).hasValue(0);
  }

  @Test
  @Spec("FRM-83")
  default void everyDeathIsAnError() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setUnhandledMaxAge(Duration.ZERO),
            new DefaultListenerRegistry()
                .register(
                    "Permanent",
                    event -> {
                      throw new PermanentFailureException("never");
                    })
                .register("Expired", event -> {}));
    EventEnvelope byId = expired();
    Map<String, String> types = new LinkedHashMap<>();
    try (LogCapture log = LogCapture.of("outbox")) {
      types.put(store(EventEnvelope.ofJson("Permanent", "{}")), "Permanent");
      types.put(store(EventEnvelope.ofJson("Unhandled", "{}")), "Unhandled");
      types.put(store(expired()), "Expired");
      poller(dispatcher).poll();
      types.put(store(byId), "Expired");
      dispatcher.enqueueCold(new QueuedEvent(byId, Source.COLD, 0));

      types.keySet().forEach(id -> awaitStatus(id, EventStatus.DEAD));
      dispatcher.close();

      types.forEach(
          (id, type) ->
              assertThat(log.entries())
                  .filteredOn(entry -> entry.startsWith("SEVERE event dead id=" + id + " "))
                  .singleElement()
                  .asString()
                  .contains(" type=" + type + " attempts=1 reason="));
    }
  }

  private static EventEnvelope expired() {
    return EventEnvelope.builder("Expired")
        .payloadJson("{}")
        .expiresAt(Instant.now().minusSeconds(1))
        .build();
  }
}
