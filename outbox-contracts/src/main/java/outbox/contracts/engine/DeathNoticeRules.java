package outbox.contracts.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import outbox.DeadLetterListener;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.PermanentFailureException;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.QueuedEvent;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.DeadLetter;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;

/** The listener is told of each event that dies, whatever it died of. */
interface DeathNoticeRules extends OutboxUnderTest {

  @Test
  @Spec("IDEM-30")
  default void everyPathToDeadIsTold() throws Exception {
    Map<String, DeadLetter> told = new ConcurrentHashMap<>();
    OutboxDispatcher dispatcher =
        telling(
            (store, letter) -> {
              assertThat(row(letter.event().eventId()).orElseThrow().status())
                  .isEqualTo(EventStatus.DEAD);
              told.put(letter.event().eventId(), letter);
            },
            config().setRetryMaxAttempts(2));
    String failing =
        store(
            EventEnvelope.builder("failing")
                .payloadJson("{\"secret\":1}")
                .tenantId("t1")
                .correlationId("c1")
                .build());
    String permanent = store(EventEnvelope.ofJson("permanent", "{}"));
    String expired =
        store(
            EventEnvelope.builder("fine")
                .payloadJson("{}")
                .expiresAt(Instant.now().minusSeconds(60))
                .build());
    insertByOldVersion("undecodable", "[1]");

    startedPoller(dispatcher);

    awaitTrue(() -> told.keySet().containsAll(List.of(failing, permanent, expired, "undecodable")));
    DeadLetter letter = Objects.requireNonNull(told.get(failing));
    assertThat(letter.error()).contains("no luck");
    assertThat(letter.attempts()).isEqualTo(2);
    assertThat(List.of(letter.topic(), letter.tenantId() + "", letter.correlationId() + ""))
        .containsExactly("failing", "t1", "c1");
    assertThat(letter.event().payloadJson()).isNull();
    assertThat(told.get(expired)).extracting(DeadLetter::error).isEqualTo("expired");
    assertThat(told.get("undecodable"))
        .extracting(DeadLetter::error)
        .asString()
        .startsWith("undecodable");
  }

  @Test
  default void anEventThatExpiredBeforeItWasClaimedByItsIdIsTold() throws Exception {
    Map<String, DeadLetter> told = new ConcurrentHashMap<>();
    OutboxDispatcher dispatcher =
        telling((store, letter) -> told.put(letter.event().eventId(), letter), config());
    EventEnvelope expired =
        EventEnvelope.builder("fine")
            .payloadJson("{}")
            .expiresAt(Instant.now().minusSeconds(60))
            .build();
    store(expired);

    assertThat(dispatcher.enqueueHot(new QueuedEvent(expired, Source.HOT, 0))).isTrue();

    awaitTrue(() -> told.containsKey(expired.eventId()));
    assertThat(told.get(expired.eventId())).extracting(DeadLetter::error).isEqualTo("expired");
    assertThat(row(expired.eventId()).orElseThrow().status()).isEqualTo(EventStatus.DEAD);
  }

  @Test
  default void whoIsToldNeitherHoldsUpNorBreaksAnything() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Map<String, DeadLetter> told = new ConcurrentHashMap<>();
    OutboxDispatcher dispatcher =
        telling(
            (store, letter) -> {
              if (told.put(letter.event().eventId(), letter) == null && told.size() == 1) {
                assertThat(release.await(60, TimeUnit.SECONDS)).isTrue();
                throw new IllegalStateException("the notice cannot be passed on");
              }
            },
            config());
    String first = store(EventEnvelope.ofJson("permanent", "{}"));
    startedPoller(dispatcher);
    awaitTrue(() -> told.containsKey(first));

    String second = store(EventEnvelope.ofJson("permanent", "{}"));
    String fine = store(EventEnvelope.ofJson("fine", "{}"));
    awaitStatus(second, EventStatus.DEAD);
    awaitStatus(fine, EventStatus.DONE);
    release.countDown();

    awaitTrue(() -> told.containsKey(second));
  }

  private OutboxDispatcher telling(Told told, OutboxConfig config) {
    DeadLetterListener listener =
        (store, letter) -> {
          try {
            told.onDead(store, letter);
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        };
    return closing(
        OutboxDispatcher.builder(connections(), store())
            .config(config)
            .onDead(listener)
            .listeners(
                new DefaultListenerRegistry()
                    .register("fine", event -> {})
                    .register("Old", event -> {})
                    .register(
                        "failing",
                        event -> {
                          throw new IllegalStateException("no luck");
                        })
                    .register(
                        "permanent",
                        event -> {
                          throw new PermanentFailureException("never");
                        }))
            .build());
  }

  /** A listener that may wait. */
  @FunctionalInterface
  interface Told {
    void onDead(String store, DeadLetter letter) throws InterruptedException;
  }
}
