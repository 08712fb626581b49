package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxMessage;
import outbox.contracts.support.LogCapture;
import outbox.model.EventStatus;
import outbox.model.MessageId;
import outbox.model.OwnerToken;
import outbox.spi.LeasedEventStore;
import outbox.spi.StoreException;
import outbox.testing.SettableClock;
import outbox.testing.memory.InMemoryEventStore;
import outbox.testing.memory.InMemoryOutbox;

/** What a claim hands out when the store could not settle everything that came with it. */
class ClaimTriageTest {
  private static final OwnerToken ME = new OwnerToken("me");
  private static final Duration LEASE = Duration.ofSeconds(30);

  private final SettableClock clock = new SettableClock();
  private final InMemoryEventStore events = new InMemoryEventStore(clock);
  private final Map<String, Supplier<Object>> instead = new ConcurrentHashMap<>();
  private final Outbox outbox = OutboxBuilder.of(events.connections(), store()).build();

  @Test
  void messagesBesideOneThatCannotBeEndedAreGivenBack() {
    MessageId good = outbox.enqueue("topic", "{}").id();
    InMemoryOutbox.insertByOldVersion(events, "undecodable", "[]");
    instead.put(
        "fail",
        () -> {
          throw new StoreException("no", new SQLException("no"));
        });

    clock.advance(Duration.ofSeconds(2));
    assertThatThrownBy(() -> outbox.claim(ME, LEASE, 10)).isInstanceOf(StoreException.class);

    assertThat(events.find(good.value()).orElseThrow().owner()).isNull();
    instead.clear();
    assertThat(outbox.claim(ME, LEASE, 10)).extracting(OutboxMessage::id).containsExactly(good);
  }

  @Test
  void messageThatTheStoreDidNotEndIsNotSaidToHaveEnded() {
    InMemoryOutbox.insertByOldVersion(events, "undecodable", "[]");
    clock.advance(Duration.ofSeconds(2));
    instead.put("fail", Set::of);

    try (LogCapture log = LogCapture.of("outbox")) {
      assertThat(outbox.claim(ME, LEASE, 10)).isEmpty();

      assertThat(log.errors()).isEmpty();
    }
    assertThat(events.find("undecodable").orElseThrow().status()).isEqualTo(EventStatus.NEW);
  }

  @Test
  void messageThatExpiresIsSaidToHaveEnded() {
    EventEnvelope message =
        EventEnvelope.builder("topic")
            .payloadJson("{}")
            .expiresAt(clock.instant().plusSeconds(1))
            .build();
    outbox.enqueue(message);
    clock.advance(Duration.ofSeconds(2));

    try (LogCapture log = LogCapture.of("outbox")) {
      assertThat(outbox.claim(ME, LEASE, 10)).isEmpty();

      assertThat(log.errors())
          .singleElement(STRING)
          .contains("message ended DEAD id=" + message.eventId(), "reason=expired");
    }
  }

  @Test
  void messageThatIsAbandonedForTheLastTimeIsSaidToHaveEnded() {
    Outbox once = OutboxBuilder.of(events.connections(), store()).maxAttempts(1).build();
    MessageId id = once.enqueue("topic", "{}").id();
    once.claim(ME, LEASE, 10);

    try (LogCapture log = LogCapture.of("outbox")) {
      once.abandon(new OwnerToken("other"), List.of(id), "secret", null);
      assertThat(log.errors()).isEmpty();

      once.abandon(ME, List.of(id), "secret", null);

      assertThat(log.errors())
          .singleElement(STRING)
          .contains("message ended DEAD id=" + id, "gave up after 1 attempts")
          .doesNotContain("secret");
    }
  }

  @Test
  void suspectWhoseStartCouldNotBeRecordedIsNotHandedOut() {
    MessageId suspect = outbox.enqueue("topic", "{}").id();
    outbox.claim(new OwnerToken("gone"), LEASE, 10);
    clock.advance(LEASE.plusSeconds(1));
    MessageId fresh = outbox.enqueue("topic", "{}").id();
    instead.put("markStarted", Set::of);

    List<OutboxMessage> claimed = outbox.claim(ME, LEASE, 10);

    assertThat(claimed).extracting(OutboxMessage::id).containsExactly(fresh);
    assertThat(events.find(suspect.value()).orElseThrow().owner()).isNull();
  }

  /** The store, with other answers for the methods of these names. */
  private LeasedEventStore store() {
    return (LeasedEventStore)
        Proxy.newProxyInstance(
            LeasedEventStore.class.getClassLoader(),
            new Class<?>[] {LeasedEventStore.class},
            (proxy, method, arguments) -> {
              Supplier<Object> other = instead.get(method.getName());
              if (other != null) {
                return other.get();
              }
              try {
                return method.invoke(events, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
