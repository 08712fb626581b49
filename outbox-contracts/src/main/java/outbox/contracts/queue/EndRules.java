package outbox.contracts.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxMessage;
import outbox.contracts.support.LogCapture;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.model.MessageId;
import outbox.model.OwnerToken;
import outbox.registry.DefaultListenerRegistry;

/** Messages that end without being handled. */
interface EndRules extends QueueUnderTest {

  @Test
  default void anExpiredMessageIsNeverHandedOut() {
    MessageId expired = enqueue(expiringIn(Duration.ofSeconds(10)));
    MessageId other = enqueue(expiringIn(Duration.ofSeconds(1000)));
    advance(Duration.ofSeconds(11));

    assertThat(ids(claim(ME))).containsExactly(other);

    assertThat(stored(expired).status()).isEqualTo(EventStatus.DEAD);
    assertThat(stored(expired).lastError()).isEqualTo("expired");
    assertThat(stored(expired).owner()).isNull();
  }

  @Test
  default void theDatabasesClockDecidesAboutExpiry() {
    advance(Duration.ofDays(-1));
    MessageId id = enqueue(expiringIn(Duration.ofSeconds(10)));

    assertThat(ids(claim(ME))).containsExactly(id);
  }

  @Test
  default void theEngineJudgesExpiryByTheDatabasesClockAsWell() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    List<String> handled = new CopyOnWriteArrayList<>();
    advance(Duration.ofHours(2));
    OutboxDispatcher dispatcher =
        dispatcher(
            config().setDispatcherWorkers(1),
            new DefaultListenerRegistry()
                .registerAll(
                    event -> {
                      release.await();
                      handled.add(event.eventId());
                    }));
    MessageId first = enqueue("topic");
    Instant end = now().plusSeconds(2);
    MessageId second =
        enqueue(EventEnvelope.builder("topic").payloadJson("{}").expiresAt(end).build());
    poller(dispatcher).poll();
    awaitTrue(() -> now().isAfter(end));

    release.countDown();

    awaitStatus(second.value(), EventStatus.DEAD);
    awaitStatus(first.value(), EventStatus.DONE);
    assertThat(stored(second).lastError()).isEqualTo("expired");
    assertThat(handled).containsExactly(first.value());
  }

  @Test
  default void theEngineJudgesTheAgeOfUnhandledMessagesByTheDatabasesClock() {
    MessageId id = enqueue("nobody");
    advance(Duration.ofHours(2));
    OutboxDispatcher dispatcher =
        dispatcher(config().setUnhandledMaxAge(Duration.ofHours(1)), new DefaultListenerRegistry());

    poller(dispatcher).poll();

    awaitStatus(id.value(), EventStatus.DEAD);
  }

  @Test
  default void liveMessagesBehindAWholeBatchOfExpiredOnesAreFound() {
    for (int i = 0; i < 5; i++) {
      enqueue(expiringIn(Duration.ofSeconds(10)));
    }
    advance(Duration.ofSeconds(11));
    MessageId live = enqueue("topic");

    assertThat(ids(outbox().claim(ME, LEASE, 2))).containsExactly(live);
  }

  @Test
  default void aLeaseOutlivesTheExpiry() {
    MessageId id = enqueue(expiringIn(Duration.ofSeconds(10)));
    claimOnly(ME);
    advance(Duration.ofSeconds(20));

    assertThat(outbox().ack(ME, List.of(id))).containsExactly(id);
    assertThat(stored(id).status()).isEqualTo(EventStatus.DONE);
  }

  @Test
  @Spec({"FRM-67", "FRM-84"})
  default void anUndecodableMessageEndsAndTheRestIsHandedOut() {
    insertByOldVersion("broken", "{\"a\": 1}");
    MessageId other = enqueue("topic");
    advance(Duration.ofSeconds(2));

    try (LogCapture log = LogCapture.of(Outbox.class.getName())) {
      assertThat(ids(claim(ME))).containsExactly(other);

      assertThat(log.entries())
          .filteredOn(entry -> entry.startsWith("SEVERE"))
          .singleElement()
          .asString()
          .startsWith("SEVERE message ended DEAD id=broken reason=undecodable: malformed JSON");
    }
    assertThat(stored(new MessageId("broken")).status()).isEqualTo(EventStatus.DEAD);
    assertThat(stored(new MessageId("broken")).lastError()).startsWith("undecodable");
  }

  @Test
  default void aMessageThatKillsItsWorkersEndsAndItsNeighboursLive() {
    MessageId poison = enqueue("poison");
    List<MessageId> innocent = enqueue("innocent", 5);
    for (int crashes = 0; crashes < 50 && stored(poison).status().isLive(); crashes++) {
      workUntilPoison(new OwnerToken("worker-" + crashes), poison);
      advance(PAST_LEASE);
    }

    assertThat(stored(poison).status()).isEqualTo(EventStatus.DEAD);
    assertThat(stored(poison).lastError()).startsWith("poisoned");
    awaitTrue(() -> outbox().ack(ME, ids(claim(ME))).isEmpty());
    assertThat(innocent)
        .allSatisfy(id -> assertThat(stored(id).status()).isEqualTo(EventStatus.DONE));
  }

  /** Claims all it can; acknowledges unless the poison is among it, for then it is gone. */
  private void workUntilPoison(OwnerToken owner, MessageId poison) {
    List<OutboxMessage> claimed = claim(owner);
    while (!claimed.isEmpty() && !ids(claimed).contains(poison)) {
      outbox().ack(owner, ids(claimed));
      claimed = claim(owner);
    }
  }

  @Test
  default void aMessageThatWasCountedIsHandedOutAlone() {
    MessageId counted = enqueue("topic");
    for (int crashes = 0; crashes < 2; crashes++) {
      claim(new OwnerToken("gone-" + crashes));
      advance(PAST_LEASE);
    }
    MessageId suspect = enqueue("topic");
    claim(new OwnerToken("gone"));
    advance(PAST_LEASE);
    MessageId fresh = enqueue("topic");

    List<MessageId> first = ids(claim(ME));
    List<MessageId> second = ids(claim(OTHER));

    assertThat(first).containsExactly(counted);
    assertThat(second).containsExactlyInAnyOrder(suspect, fresh);
  }

  @Test
  default void leasesThatRunOutOnceAreNotHeldAgainstAnybody() {
    List<MessageId> ids = enqueue("topic", 5);
    claim(ME);
    advance(PAST_LEASE);

    assertThat(ids(claim(OTHER))).containsExactlyInAnyOrderElementsOf(ids);

    assertThat(ids).allSatisfy(id -> assertThat(stored(id).leaseExpiries()).isZero());
  }

  @Test
  default void withoutALimitNoExpiryIsCounted() {
    MessageId id = enqueue("topic");
    for (int i = 0; i < 6; i++) {
      assertThat(builder().maxLeaseExpiries(Integer.MAX_VALUE).build().claim(ME, LEASE, 10))
          .hasSize(1);
      advance(PAST_LEASE);
    }
    assertThat(stored(id).leaseExpiries()).isZero();
  }

  private EventEnvelope expiringIn(Duration duration) {
    return EventEnvelope.builder("topic").payloadJson("{}").expiresAt(now().plus(duration)).build();
  }
}
