package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.DeadLetters;
import outbox.contracts.support.LogCapture;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.spi.DueListener;
import outbox.testing.memory.InMemoryInboxStore;

/** Who claims is told of what there is to claim, and of nothing else. */
class InboxWakeTest {
  private static final InboxKey KEY = new InboxKey("shop", "4711");
  private static final InboundMessage MESSAGE = InboundMessage.of(KEY, "orders", "{}");
  private final Instant later = Instant.now().plus(Duration.ofHours(1));
  private final Instant before = Instant.now().minus(Duration.ofHours(1));

  private final InMemoryInboxStore store = new InMemoryInboxStore();
  private final List<String> told = new ArrayList<>();
  private final Inbox inbox =
      Inbox.builder(store.connections(), store)
          .onCommit(() -> told.add("commit"))
          .onUnseenCommit(() -> told.add("unseen"))
          .onStoredForLater(
              new DueListener() {
                @Override
                public void dueAt(Instant due) {
                  told.add(due.toString());
                }

                @Override
                public void dueAfter(Duration delay) {
                  told.add(delay.toString());
                }
              })
          .build();

  @Test
  void newMessageWakesAndADuplicateDoesNot() {
    inbox.receive(MESSAGE);
    assertThat(told).containsExactly("commit");

    inbox.receive(MESSAGE);
    assertThat(told).containsExactly("commit");
  }

  @Test
  void messageReceivedInATransactionMakesWhoClaimsLookSoon() throws Exception {
    try (Connection connection = begun()) {
      inbox.receive(connection, MESSAGE);
      inbox.receive(connection, MESSAGE);
      connection.commit();
    }

    assertThat(told).containsExactly("unseen");
  }

  @Test
  void enqueuedMessageWakesUnlessItIsDone() throws Exception {
    inbox.enqueue(MESSAGE);
    try (Connection connection = begun()) {
      inbox.enqueue(connection, MESSAGE);
      connection.commit();
    }
    inbox.markProcessed(KEY);
    inbox.enqueue(MESSAGE);

    assertThat(told).containsExactly("commit", "unseen");
  }

  @Test
  void messageForLaterIsToldOfByItsTimeAndWakesOnlyIfThatHasCome() {
    inbox.receive(InboundMessage.of(KEY, "orders", "{}").withDueTime(later));
    assertThat(told).containsExactly(later.toString());
    told.clear();

    inbox.receive(InboundMessage.of(new InboxKey("shop", "2"), "orders", "{}").withDueTime(before));
    assertThat(told).containsExactly(before.toString(), "commit");
  }

  @Test
  void replayedMessageWakesAndTheLogSaysHowMany() {
    inbox.receive(MESSAGE);
    inbox.markDead(KEY);
    told.clear();

    try (LogCapture log = LogCapture.of(DeadLetters.class.getName())) {
      assertThat(inbox.replay(KEY, "ann")).isTrue();
      assertThat(told).containsExactly("commit");
      assertThat(inbox.replay(KEY, "ann")).isFalse();

      assertThat(told).containsExactly("commit");
      assertThat(log.entries())
          .containsExactly(
              "INFO dead letters replayed count=1 by=ann",
              "INFO dead letters replayed count=0 by=ann");
    }
  }

  @Test
  void markIsToldToTheLogWithWhatCameOfIt() throws Exception {
    inbox.receive(MESSAGE);

    try (LogCapture log = LogCapture.of(Inbox.class.getName());
        Connection connection = begun()) {
      assertThat(inbox.markProcessed(connection, KEY)).isTrue();
      assertThat(inbox.markProcessed(connection, KEY)).isFalse();
      connection.commit();

      assertThat(log.entries())
          .containsExactly(
              "FINE marked status=DONE moved=true source=shop messageId=4711",
              "FINE marked status=DONE moved=false source=shop messageId=4711");
    }
  }

  @Test
  void marksByTheFieldsOfTheKeySayWhetherTheyMovedIt() {
    inbox.alreadyProcessed(new InboxKey("shop", "4711"), null);
    assertThat(inbox.markProcessing(new InboxKey("shop", "4711"))).isTrue();
    assertThat(inbox.markProcessing(new InboxKey("shop", "4711"))).isFalse();
    assertThat(inbox.markProcessed(new InboxKey("shop", "4711"))).isTrue();
    assertThat(inbox.markProcessed(new InboxKey("shop", "4711"))).isFalse();
    assertThat(inbox.markDead(new InboxKey("shop", "4711"))).isFalse();
    inbox.alreadyProcessed(new InboxKey("shop", "4712"), null);
    assertThat(inbox.markDead(new InboxKey("shop", "4712"))).isTrue();
  }

  private Connection begun() throws Exception {
    Connection connection = store.connections().getConnection();
    connection.setAutoCommit(false);
    return connection;
  }
}
