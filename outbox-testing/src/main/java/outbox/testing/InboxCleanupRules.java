package outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import outbox.inbox.InboxCleanup;
import outbox.inbox.InboxCleanup.Target;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.inbox.ReceiveResult.Kind;

/** What is removed of processed messages, when, and what never is. */
interface InboxCleanupRules extends InboxUnderTest {
  Duration DAYS_7 = InboxCleanup.DEFAULT_PAYLOAD_RETENTION;
  Duration DAYS_30 = InboxCleanup.DEFAULT_DEDUP_WINDOW;

  @Test
  @Spec({"IBX-098", "IBX-100"})
  default void thePayloadGoesFirstAndTheKeyAfterTheDedupWindow() {
    InboxKey done = done("done");
    advance(Duration.ofDays(8));
    assertThat(cleanup().cleanUp()).isZero();

    assertThatThrownBy(() -> stored(done).payload())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("payload");
    assertThat(inbox().receive(inbound(done, "topic", "{}")).kind()).isEqualTo(Kind.DONE);
    advance(Duration.ofDays(29));
    assertThat(cleanup().cleanUp()).isZero();
    assertThat(inbox().receive(inbound(done, "topic", "{}")).kind()).isEqualTo(Kind.DONE);

    advance(Duration.ofDays(31));
    assertThat(cleanup().cleanUp()).isEqualTo(1);
    assertThat(work().get(done)).isEmpty();
  }

  @Test
  @Spec("IBX-099")
  default void onlyWhatIsDoneIsCleanedUp() {
    InboxKey seen = new InboxKey("shop", "seen");
    inbox().alreadyProcessed(seen, null);
    InboxKey waiting = new InboxKey("shop", "waiting");
    enqueue(waiting, "{}");
    InboxKey dead = new InboxKey("shop", "dead");
    enqueue(dead, "{}");
    inbox().markDead(dead);
    advance(Duration.ofDays(1000));

    assertThat(cleanup().cleanUp()).isZero();

    assertThat(status(seen)).isEqualTo(InboxStatus.SEEN);
    assertThat(stored(waiting).payload()).isEqualTo("{}");
    assertThat(stored(dead).payload()).isEqualTo("{}");
  }

  @Test
  @Spec("IBX-101")
  default void cleanupWorksInBatches() {
    for (int i = 0; i < 7; i++) {
      done("m" + i);
    }
    advance(Duration.ofDays(40));

    assertThat(purgePayloads(5)).isEqualTo(5);
    assertThat(purgePayloads(5)).isEqualTo(2);
    assertThat(purgeRows(5)).isEqualTo(5);
    assertThat(purgeRows(5)).isEqualTo(2);
  }

  @Test
  @Spec("IBX-101")
  default void cleanupPassesOverWhatSomebodyHasLocked() throws Exception {
    InboxKey locked = done("locked");
    InboxKey free = done("free");
    advance(Duration.ofDays(40));
    try (Connection connection = begun()) {
      inbox().receive(connection, inbound(locked, "topic", "{}"));

      assertThat(unhindered(() -> cleanup().cleanUp())).isEqualTo(1);

      assertThat(work().get(free)).isEmpty();
      assertThat(stored(locked).payload()).isEqualTo("{}");
      connection.rollback();
    }
    assertThat(cleanup().cleanUp()).isEqualTo(1);
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
                          assertThat(store().purgePayloads(connection, DAYS_7, 500)).isEqualTo(1);
                          assertThat(store().purgeRows(connection, DAYS_30, 500)).isEqualTo(1);
                          takeInAndHandle(waiting);
                          return old;
                        }));

    assertThat(work().get(old)).isEmpty();
  }

  private void takeInAndHandle(InboxKey waiting) {
    assertThat(unhindered(() -> inbox().receive(inbound(KEY, "topic", "{}")).kind()))
        .isEqualTo(Kind.NEW);
    assertThat(unhindered(() -> claim(ME)))
        .extracting(InboxMessage::key)
        .containsExactlyInAnyOrder(waiting, KEY);
    assertThat(unhindered(() -> work().ack(ME, List.of(waiting)))).containsExactly(waiting);
  }

  @Test
  default void anInboxThatCannotBeCleanedUpKeepsNoOther() {
    InboxKey done = done("done");
    advance(Duration.ofDays(40));
    Target down =
        new Target(
            () -> {
              throw new SQLException("down");
            },
            store(),
            " store=down");
    InboxCleanup cleanup =
        new InboxCleanup(
            () -> List.of(down, new Target(connections(), store(), "")),
            InboxCleanup.DEFAULT_PAYLOAD_RETENTION,
            InboxCleanup.DEFAULT_DEDUP_WINDOW);

    assertThatThrownBy(cleanup::cleanUp).hasMessageContaining("down");

    assertThat(work().get(done)).isEmpty();
  }

  @Test
  @Spec({"IBX-098", "IBX-101"})
  default void cleanupRunsOnATimerOfItsOwn() {
    InboxKey done = done("done");
    advance(Duration.ofDays(40));
    InboxCleanup cleanup = closing(cleanup());

    cleanup.start(Duration.ofMillis(10));
    cleanup.start(Duration.ofMillis(10));

    awaitTrue(() -> work().get(done).isEmpty());
    cleanup.close();
    cleanup.close();
    assertThatThrownBy(() -> cleanup.start(Duration.ofMillis(10)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  @Spec("IBX-100")
  default void aPayloadCannotOutliveItsRow() {
    assertThatThrownBy(
            () -> new InboxCleanup(connections(), store(), Duration.ofDays(2), Duration.ofDays(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("payloadRetention (PT48H)");
  }

  /** On a thread of its own, so that what waits for a lock fails instead of hanging. */
  private static <T> T unhindered(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work).orTimeout(30, TimeUnit.SECONDS).join();
  }

  private int purgePayloads(int limit) {
    return connections()
        .inAutoCommit(c -> store().purgePayloads(c, InboxCleanup.DEFAULT_PAYLOAD_RETENTION, limit));
  }

  private int purgeRows(int limit) {
    return connections()
        .inAutoCommit(c -> store().purgeRows(c, InboxCleanup.DEFAULT_DEDUP_WINDOW, limit));
  }

  private InboxCleanup cleanup() {
    return new InboxCleanup(
        connections(),
        store(),
        InboxCleanup.DEFAULT_PAYLOAD_RETENTION,
        InboxCleanup.DEFAULT_DEDUP_WINDOW);
  }

  private InboxKey done(String messageId) {
    InboxKey key = new InboxKey("shop", messageId);
    enqueue(key, "{}");
    claimOnly(ME);
    work().ack(ME, List.of(key));
    return key;
  }
}
