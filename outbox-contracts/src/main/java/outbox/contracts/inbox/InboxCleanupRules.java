package outbox.contracts.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import outbox.Retention;
import outbox.contracts.support.Spec;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.inbox.ReceiveResult;
import outbox.inbox.ReceiveResult.Kind;
import outbox.internal.retention.EventRetention;
import outbox.internal.retention.Housekeeper;

/** What is removed of processed messages, when, and what never is. */
interface InboxCleanupRules extends InboxUnderTest {
  Duration DAYS_7 = Duration.ofDays(7);
  Duration DAYS_30 = Duration.ofDays(30);

  @Test
  @Spec({"IBX-098", "IBX-100"})
  default void thePayloadGoesFirstAndTheKeyAfterTheDedupWindow() {
    InboxKey done = done("done");
    advance(Duration.ofDays(8));
    assertThat(cleanUp()).isZero();

    assertThatThrownBy(() -> stored(done).payload())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("payload");
    assertThat(inbox().receive(inbound(done, "topic", "not comparable any more")))
        .isEqualTo(new ReceiveResult(Kind.DONE, false));
    advance(Duration.ofDays(29));
    assertThat(cleanUp()).isZero();
    assertThat(inbox().receive(inbound(done, "topic", "{}")).kind()).isEqualTo(Kind.DONE);

    advance(Duration.ofDays(31));
    assertThat(cleanUp()).isEqualTo(1);
    assertThat(work().get(done)).isEmpty();
  }

  @Test
  @Spec("IBX-099")
  default void onlyWhatIsDoneIsCleanedUp() {
    for (InboxStage stage : InboxStage.values()) {
      stage.reach(this, stage.name());
    }
    advance(Duration.ofDays(1000));

    assertThat(cleanUp()).isEqualTo(2);

    for (InboxStage stage : InboxStage.values()) {
      InboxKey key = new InboxKey("shop", stage.name());
      if (stage.status == InboxStatus.DONE) {
        assertThat(work().get(key)).as("%s", stage).isEmpty();
      } else {
        assertThat(status(key)).as("%s", stage).isEqualTo(stage.status);
        assertThat(stored(key).hasPayload()).as("%s", stage).isEqualTo(stage.hasContent);
      }
    }
    assertThat(purgeDead(1000)).isEqualTo(2);
    for (InboxStage stage : InboxStage.values()) {
      assertThat(work().get(new InboxKey("shop", stage.name())).isPresent())
          .as("%s", stage)
          .isEqualTo(stage.status != InboxStatus.DONE && stage.status != InboxStatus.DEAD);
    }
  }

  @Test
  @Spec("IBX-100")
  default void theAgeOfWhatIsDeadBeginsWithItsDeath() {
    InboxKey dead = new InboxKey("shop", "dead");
    enqueue(dead, "{}");
    advance(Duration.ofDays(40));
    inbox().markDead(dead);

    assertThat(purgeDead(10)).isZero();
    advance(Duration.ofDays(31));
    assertThat(purgeDead(10)).isEqualTo(1);
  }

  @Test
  @Spec("IBX-100")
  default void whatIsDeadStaysWhileDuplicatesOfItCome() {
    InboxKey dead = new InboxKey("shop", "dead");
    enqueue(dead, "{}");
    inbox().markDead(dead);
    advance(Duration.ofDays(31));
    assertThat(inbox().receive(inbound(dead, "topic", "{}")).kind()).isEqualTo(Kind.DEAD);

    assertThat(purgeDead(10)).isZero();
    advance(Duration.ofDays(31));

    assertThat(purgeDead(10)).isEqualTo(1);
    assertThat(work().get(dead)).isEmpty();
  }

  @Test
  @Spec("IBX-101")
  default void cleanupWorksInBatches() {
    for (int i = 0; i < 7; i++) {
      done("m" + i);
      dead("d" + i);
    }
    advance(Duration.ofDays(40));

    assertThat(purgePayloads(5)).isEqualTo(5);
    assertThat(purgePayloads(5)).isEqualTo(2);
    assertThat(purgeRows(5)).isEqualTo(5);
    assertThat(purgeRows(5)).isEqualTo(2);
    assertThat(purgeDead(5)).isEqualTo(5);
    assertThat(purgeDead(5)).isEqualTo(2);
  }

  @Test
  @Spec("IBX-101")
  default void cleanupPassesOverWhatIsLocked() throws Exception {
    InboxKey locked = done("locked");
    InboxKey free = done("free");
    InboxKey lockedDead = dead("locked dead");
    InboxKey freeDead = dead("free dead");
    advance(Duration.ofDays(40));
    try (Connection connection = begun()) {
      inbox().receive(connection, inbound(locked, "topic", "{}"));
      inbox().receive(connection, inbound(lockedDead, "topic", "{}"));

      assertThat(unhindered(() -> cleanUp())).isEqualTo(1);
      assertThat(unhindered(() -> purgeDead(10))).isEqualTo(1);

      assertThat(work().get(free)).isEmpty();
      assertThat(work().get(freeDead)).isEmpty();
      assertThat(stored(locked).payload()).isEqualTo("{}");
      connection.rollback();
    }
    assertThat(cleanUp()).isEqualTo(1);
    assertThat(purgeDead(10)).isEqualTo(1);
  }

  @Test
  @Spec("IBX-101")
  default void intakeAndHandlingDoNotWaitForACleanup() {
    InboxKey old = done("old");
    advance(Duration.ofDays(40));
    InboxKey waiting = new InboxKey("shop", "waiting");
    enqueue(waiting, "{}");

    connections()
        .inAutoCommit(
            connection ->
                store()
                    .events()
                    .inTransaction(
                        connection,
                        () -> {
                          assertThat(store().events().purgePayloads(connection, DAYS_7, 500))
                              .isEqualTo(1);
                          assertThat(store().events().purgeDone(connection, DAYS_30, 500))
                              .isEqualTo(1);
                          takeInAndHandle(waiting);
                          return old;
                        }));

    assertThat(work().get(old)).isEmpty();
  }

  private void takeInAndHandle(InboxKey waiting) {
    assertThat(unhindered(() -> inbox().receive(inbound(KEY, "topic", "{}")).kind()))
        .isEqualTo(Kind.NEW);
    assertThat(unhindered(() -> inbox().receive(inbound(waiting, "topic", "{}")).kind()))
        .isEqualTo(Kind.DUPLICATE);
    assertThat(unhindered(() -> claim(ME)))
        .extracting(InboxMessage::key)
        .containsExactlyInAnyOrder(waiting, KEY);
    assertThat(unhindered(() -> work().ack(ME, held(waiting)))).containsExactly(waiting);
  }

  @Test
  @Spec({"IBX-098", "IBX-101"})
  default void cleanupRunsOnATimerOfItsOwn() {
    InboxKey done = done("done");
    advance(Duration.ofDays(40));
    Retention retention = Retention.ofInbox().interval(Duration.ofMillis(10));
    Housekeeper housekeeper = closing(new Housekeeper(retention));

    housekeeper.add(new EventRetention("inbox", connections(), store().events(), retention));

    awaitTrue(() -> work().get(done).isEmpty());
  }

  /** On a thread of its own, so that what waits for a lock fails instead of hanging. */
  private static <T> T unhindered(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work).orTimeout(30, TimeUnit.SECONDS).join();
  }

  private int purgePayloads(int limit) {
    return connections()
        .inAutoCommit(c -> store().events().purgePayloads(c, Duration.ofDays(7), limit));
  }

  private int purgeRows(int limit) {
    return connections()
        .inAutoCommit(c -> store().events().purgeDone(c, Duration.ofDays(30), limit));
  }

  private int purgeDead(int limit) {
    return connections().inAutoCommit(c -> store().events().purgeDead(c, DAYS_30, limit));
  }

  /** By the defaults of an inbox; returns how many keys are gone. */
  private int cleanUp() {
    int payloads = purgePayloads(1000);
    int rows = purgeRows(1000);
    assertThat(payloads).isNotNegative();
    return rows;
  }

  private InboxKey dead(String messageId) {
    InboxKey key = new InboxKey("shop", messageId);
    enqueue(key, "{}");
    inbox().markDead(key);
    return key;
  }

  private InboxKey done(String messageId) {
    InboxKey key = new InboxKey("shop", messageId);
    enqueue(key, "{}");
    claimOnly(ME);
    work().ack(ME, held(key));
    return key;
  }
}
