package outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.spi.DueListener;

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
    inbox.receive(new InboundMessage(KEY, "orders", "{}", null, later));
    assertThat(told).containsExactly(later.toString());
    told.clear();

    inbox.receive(new InboundMessage(new InboxKey("shop", "2"), "orders", "{}", null, before));
    assertThat(told).containsExactly(before.toString(), "commit");
  }

  @Test
  void revivedMessageWakesAndTheLogSaysHowMany() {
    inbox.receive(MESSAGE);
    inbox.markDead(KEY);
    told.clear();

    try (LogCapture log = LogCapture.of(Inbox.class.getName())) {
      assertThat(inbox.revive(KEY)).isTrue();
      assertThat(told).containsExactly("commit");
      assertThat(inbox.revive(KEY)).isFalse();

      assertThat(told).containsExactly("commit");
      assertThat(log.entries()).containsExactly("INFO revived count=1", "FINE revived count=0");
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
    inbox.alreadyProcessed("4711", "shop");
    assertThat(inbox.markProcessing("4711", "shop")).isTrue();
    assertThat(inbox.markProcessing("4711", "shop")).isFalse();
    assertThat(inbox.markProcessed("4711", "shop")).isTrue();
    assertThat(inbox.markProcessed("4711", "shop")).isFalse();
    assertThat(inbox.markDead("4711", "shop")).isFalse();
    inbox.alreadyProcessed("4712", "shop");
    assertThat(inbox.markDead("4712", "shop")).isTrue();
  }

  private Connection begun() throws Exception {
    Connection connection = store.connections().getConnection();
    connection.setAutoCommit(false);
    return connection;
  }
}
