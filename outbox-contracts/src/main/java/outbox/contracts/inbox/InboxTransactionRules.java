package outbox.contracts.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxStatus;
import outbox.inbox.ReceiveResult.Kind;

/** What joins a transaction of the caller. */
interface InboxTransactionRules extends InboxUnderTest {

  @Test
  @Spec({"IBX-013", "IBX-102"})
  default void whatIsReceivedInATransactionIsThereWhenItCommits() throws Exception {
    InboxKey enqueued = new InboxKey("shop", "enqueued");
    try (Connection connection = begun()) {
      assertThat(inbox().receive(connection, inbound(KEY, "topic", "{}")).isNew()).isTrue();
      inbox().enqueue(connection, inbound(enqueued, "topic", "{}"));
      assertThat(claim(ME)).isEmpty();
      connection.rollback();
      assertThat(work().get(KEY)).isEmpty();
      assertThat(work().get(enqueued)).isEmpty();

      assertThat(inbox().receive(connection, inbound(KEY, "topic", "{}")).isNew()).isTrue();
      inbox().enqueue(connection, inbound(enqueued, "topic", "{}"));
      connection.commit();
    }
    assertThat(claim(ME)).hasSize(2);
  }

  @Test
  default void aMessageIsNewOnceInATransactionAndAgainAfterARollbackToASavepoint()
      throws Exception {
    InboundMessage message = inbound(KEY, "topic", "{}");
    try (Connection connection = begun()) {
      Savepoint before = connection.setSavepoint();
      assertThat(inbox().receive(connection, message).kind()).isEqualTo(Kind.NEW);
      assertThat(inbox().receive(connection, message).kind()).isEqualTo(Kind.DUPLICATE);
      connection.rollback(before);
      assertThat(inbox().receive(connection, message).kind()).isEqualTo(Kind.NEW);
      connection.commit();
    }
    assertThat(inbox().receive(message).kind()).isEqualTo(Kind.DUPLICATE);
    assertThat(claim(ME)).hasSize(1);
  }

  @Test
  @Spec({"IBX-002", "IBX-102"})
  default void whatIsProcessedInTheTransactionOfItsKeyIsUndoneWithIt() throws Exception {
    InboxKey effect = new InboxKey("effects", "of message-1");
    for (boolean commits : new boolean[] {false, true}) {
      try (Connection connection = begun()) {
        assertThat(inbox().alreadyProcessed(connection, KEY, null)).isFalse();
        store().see(connection, effect, null);
        assertThat(inbox().markProcessed(connection, KEY)).isTrue();
        if (commits) {
          connection.commit();
        } else {
          connection.rollback();
        }
      }
      assertThat(work().get(effect).isPresent()).isEqualTo(commits);
      assertThat(work().get(KEY).isPresent()).isEqualTo(commits);
    }
    assertThat(status(KEY)).isEqualTo(InboxStatus.DONE);
    try (Connection connection = begun()) {
      assertThat(inbox().alreadyProcessed(connection, KEY, null)).isTrue();
      connection.commit();
    }
  }

  @Test
  @Spec({"IBX-002", "IBX-006"})
  default void ofManyWhoProcessAKeyInATransactionOneDoes() throws Exception {
    int keys = 20;
    List<Callable<Integer>> senders = new ArrayList<>();
    for (int sender = 0; sender < 4; sender++) {
      senders.add(() -> processAll(keys));
    }
    ExecutorService executor = Executors.newFixedThreadPool(senders.size());
    try {
      int processed = 0;
      for (Future<Integer> sender : executor.invokeAll(senders)) {
        processed += sender.get();
      }
      assertThat(processed).isEqualTo(keys);
    } finally {
      executor.shutdownNow();
    }
  }

  private int processAll(int keys) throws Exception {
    int processed = 0;
    for (int i = 0; i < keys; i++) {
      InboxKey key = new InboxKey("shop", "m" + i);
      try (Connection connection = begun()) {
        Inbox inbox = inbox();
        if (!inbox.alreadyProcessed(connection, key, null)) {
          assertThat(inbox.markProcessed(connection, key)).isTrue();
          processed++;
        }
        connection.commit();
      }
    }
    return processed;
  }

  @Test
  default void aConnectionWithoutTransactionIsRefused() throws Exception {
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(true);
      assertThatThrownBy(() -> inbox().receive(connection, inbound(KEY, "topic", "{}")))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("auto-commit");
      assertThatThrownBy(() -> inbox().alreadyProcessed(connection, KEY, null))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> inbox().markProcessed(connection, KEY))
          .isInstanceOf(IllegalStateException.class);
    }
    assertThat(work().get(KEY)).isEmpty();
  }
}
