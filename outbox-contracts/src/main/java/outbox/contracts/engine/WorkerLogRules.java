package outbox.contracts.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.LogCapture;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.QueuedEvent;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;

/** The lines of the workers, which other programs read. */
interface WorkerLogRules extends OutboxUnderTest {
  String MESSAGES = "outbox.messages.worker";

  @Test
  @Spec({"IDEM-38", "IDEM-39", "IDEM-40", "IDEM-80"})
  default void workersTellWhatTheyFetchedWhatSucceededAndWhatFailed() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setRetryMaxAttempts(2),
            new DefaultListenerRegistry()
                .register("Fine", event -> {})
                .register(
                    "Failing",
                    event -> {
                      throw new IllegalStateException("secret");
                    }));
    String fine = store(event("Fine"));
    String failing = store(event("Failing"));

    try (LogCapture log = LogCapture.of(MESSAGES)) {
      startedPoller(dispatcher);
      awaitStatus(fine, EventStatus.DONE);
      awaitStatus(failing, EventStatus.DEAD);
      dispatcher.close();

      String fail = "FINE OUTBOX_WORKER_DISPATCH_FAIL id=" + failing + " key=key of Failing";
      assertThat(log.entries())
          .filteredOn(line -> line.contains("DISPATCH"))
          .containsExactlyInAnyOrder(
              "FINE OUTBOX_WORKER_DISPATCH_SUCCESS id=" + fine + " key=key of Fine",
              fail + " retry=1 max=2",
              fail + " retry=2 max=2");
      assertThat(log.debugs()).noneMatch(line -> line.contains("secret"));
      assertThat(fetched(log.entries())).isEqualTo(3);
    }
  }

  /** All that was fetched, in however many batches. */
  private static int fetched(List<String> lines) {
    String fetch = "FINE OUTBOX_WORKER_FETCH count=";
    return lines.stream()
        .filter(line -> line.startsWith(fetch))
        .mapToInt(line -> Integer.parseInt(line.substring(fetch.length())))
        .sum();
  }

  @Test
  @Spec({"IDEM-26", "IDEM-42", "IDEM-77"})
  default void eventThatIsProcessedAlreadyIsSkippedAndSaidSo() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(), new DefaultListenerRegistry().registerAll(event -> runs.incrementAndGet()));
    EventEnvelope event = event("Any");
    publish(client(dispatcher), event);
    awaitStatus(event.eventId(), EventStatus.DONE);

    try (LogCapture log = LogCapture.of(MESSAGES)) {
      String line = "OUTBOX_WORKER_SKIP_PROCESSED id=" + event.eventId();
      awaitTrue(
          () -> {
            dispatcher.enqueueCold(new QueuedEvent(event, Source.COLD, 0));
            return log.debugs().stream().anyMatch(text -> text.contains(line));
          });
    }
    assertThat(runs).hasValue(1);
  }

  private static EventEnvelope event(String type) {
    return EventEnvelope.builder(type)
        .payloadJson("\"secret\"")
        .header("h", "secret")
        .idempotencyKey("key of " + type)
        .build();
  }
}
