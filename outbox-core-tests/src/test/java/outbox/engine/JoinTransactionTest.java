package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.contracts.support.LogCapture;
import outbox.internal.handler.HandlerListener;
import outbox.join.JoinCoordinator;
import outbox.join.JoinTracker;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.MessageId;
import outbox.testing.memory.InMemoryEventStore;
import outbox.testing.memory.InMemoryJoinStore;
import outbox.testing.memory.InMemoryTransactions;

/** A join that ends in the thread's transaction has ended when that commits. */
class JoinTransactionTest {
  private final InMemoryEventStore events = new InMemoryEventStore();
  private final InMemoryJoinStore store = new InMemoryJoinStore(events);
  private final InMemoryTransactions transactions = events.transactions();
  private final JoinTracker tracker = new JoinTracker(store, transactions);
  private final JoinCoordinator joins =
      JoinCoordinator.builder(events.connections(), events.notifying(tracker), tracker).build();
  private final AtomicInteger woken = new AtomicInteger();

  @Test
  void whoClaimsIsWokenAfterTheCommitAndNotBefore() throws Exception {
    tracker.onDue(woken::incrementAndGet);
    JoinIdentifier join = joins.startJoin("key", 1, null, null);

    transactions.run(
        connection -> {
          assertThat(joins.cancelJoin(join)).isTrue();
          assertThat(woken).hasValue(0);
        });

    assertThat(woken).hasValue(1);
    assertThat(joins.find(join).orElseThrow().status()).isEqualTo(JoinStatus.CANCELLED);
  }

  @Test
  void whatIsRolledBackWakesNobody() {
    tracker.onDue(woken::incrementAndGet);
    JoinIdentifier join = joins.startJoin("key", 1, null, null);

    assertThatThrownBy(
            () ->
                transactions.run(
                    connection -> {
                      joins.cancelJoin(join);
                      throw new IllegalStateException("rolled back");
                    }))
        .hasMessage("rolled back");

    assertThat(woken).hasValue(0);
    assertThat(joins.find(join).orElseThrow().status()).isEqualTo(JoinStatus.PENDING);
  }

  @Test
  void outsideOfATransactionItWakesAtOnceAndOnce() {
    tracker.onDue(woken::incrementAndGet);
    JoinIdentifier join = joins.startJoin("key", 1, null, null);

    assertThat(joins.cancelJoin(join)).isTrue();
    assertThat(joins.cancelJoin(join)).isFalse();

    assertThat(woken).hasValue(1);
  }

  @Test
  void aStepMoreThanExpectedIsWarnedOf() throws Exception {
    List<MessageId> steps = List.of(stored(), stored());
    JoinIdentifier join = joins.startJoin("key", 1, null, null);
    joins.attachAll(join, steps);
    joins.reportStepCompleted(join, steps.get(0));

    try (LogCapture log = LogCapture.of(JoinCoordinator.class.getName())) {
      joins.reportStepCompleted(join, steps.get(1));

      assertThat(log.entries())
          .containsExactly(
              "WARNING join has more steps than it expects, they do not count: join="
                  + join
                  + " expected=1 more=1; start it with a larger expectedSteps");
    }
  }

  private MessageId stored() throws Exception {
    EventEnvelope step = EventEnvelope.ofJson("step", "{}");
    try (Connection connection = events.connections().getConnection()) {
      events.insertNew(connection, step);
    }
    return new MessageId(step.eventId());
  }

  @Test
  void itsWaitsAreMessagesOfTheLibrarysOwn() {
    assertThat(HandlerListener.of(joins.waitHandler()).isInternal()).isTrue();
  }
}
