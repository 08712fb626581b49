package outbox.contracts.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.Bulk;
import outbox.DeadLetters;
import outbox.OutboxBuilder;
import outbox.model.DeadCount;
import outbox.model.MessageId;
import outbox.spi.ConnectionProvider;

/** All dead letters of a filter come back, or go, while the rest of the traffic continues. */
interface BulkReplayRules extends DeadLettersUnderTest {
  @Test
  default void allOfAFilterAreReplayedInBatchesWithProgress() {
    List<MessageId> mails = deadOnes(23);
    MessageId other = dead("print", null, null, "broken");
    List<Long> progress = new ArrayList<>();
    Bulk bulk =
        Bulk.by("alice")
            .batchSize(10)
            .progress(
                changed -> {
                  progress.add(changed);
                  return true;
                });

    assertThat(letters().replay(ALL.topic("mail"), bulk)).isEqualTo(23);

    assertThat(progress).containsExactly(10L, 20L, 23L);
    assertThat(found(ALL)).containsExactly(other);
    assertThat(ids(outbox().claim(ME, LEASE, 100))).containsExactlyInAnyOrderElementsOf(mails);
  }

  @Test
  default void aBulkChangeStopsWhenItIsToldTo() {
    deadOnes(9);
    Bulk bulk = Bulk.by("alice").batchSize(2).progress(changed -> changed < 4);

    assertThat(letters().discard(ALL, "test data", bulk)).isEqualTo(4);

    assertThat(letters().count(ALL)).isEqualTo(new DeadCount(5, true));
  }

  @Test
  default void aBulkReplayThatWaitsForTheBacklogStopsWhenItIsToldTo() {
    deadOnes(6);
    AtomicInteger asked = new AtomicInteger();
    Bulk bulk = Bulk.by("alice").batchSize(2).maxBacklog(1).stop(() -> asked.incrementAndGet() > 4);

    assertThat(letters().replay(ALL, bulk)).isEqualTo(2);

    assertThat(letters().count(ALL)).isEqualTo(new DeadCount(4, true));
  }

  @Test
  default void whatDiesMeanwhileIsNotReplayed() {
    MessageId late = enqueue("mail");
    List<MessageId> ids = deadOnes(6);
    Bulk bulk =
        Bulk.by("alice")
            .batchSize(2)
            .progress(
                changed -> {
                  outbox().fail(ME, ids(claim(ME)), "broken again");
                  return changed <= 100;
                });

    assertThat(letters().replay(ALL, bulk)).isEqualTo(6);

    assertThat(found(ALL)).hasSize(7).containsAll(ids).contains(late);
    assertThat(letters().list(ALL, 10))
        .allMatch(letter -> letter.replays() == (letter.id().equals(late) ? 0 : 1));
  }

  /** The others are slow: they handle a batch when the replay has looked for that five times. */
  @Test
  default void theReplayedDoNotQueueUpBeforeTheOthers() {
    deadOnes(6);
    int patience = 5;
    AtomicInteger looks = new AtomicInteger(patience);
    ConnectionProvider watched =
        () -> {
          if (looks.incrementAndGet() == patience) {
            outbox().ack(ME, ids(claim(ME)));
          }
          return connections().getConnection();
        };
    List<Integer> backlog = new ArrayList<>();
    Bulk bulk =
        Bulk.by("alice")
            .batchSize(2)
            .perSecond(100_000)
            .maxBacklog(1)
            .progress(
                changed -> {
                  backlog.add(backlog());
                  looks.set(0);
                  return true;
                });
    DeadLetters letters =
        OutboxBuilder.of(watched, store()).txContext(txContext()).build().deadLetters();

    assertThat(letters.replay(ALL, bulk)).isEqualTo(6);

    assertThat(backlog).containsExactly(2, 2, 2);
    assertThat(backlog()).isZero();
  }

  @Test
  default void aBulkReplayComesBackToWhatWasLocked() throws Exception {
    List<MessageId> ids = deadOnes(7);
    try (Connection other = connections().getConnection()) {
      other.setAutoCommit(false);
      List<String> locked = List.of(ids.get(1).value(), ids.get(5).value());
      assertThat(store().discard(other, locked, "bob", "gone", null)).hasSize(2);
      AtomicInteger batches = new AtomicInteger();
      Bulk bulk =
          Bulk.by("alice")
              .batchSize(2)
              .progress(
                  changed -> {
                    if (batches.incrementAndGet() == 4) {
                      rollBack(other);
                    }
                    return true;
                  });

      assertThat(letters().replay(ALL, bulk)).isEqualTo(7);
    }
    assertThat(found(ALL)).isEmpty();
    assertThat(ids(outbox().claim(ME, LEASE, 100))).containsExactlyInAnyOrderElementsOf(ids);
  }

  private static void rollBack(Connection connection) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private int backlog() {
    return connections().inAutoCommit(c -> store().backlog(c, 100));
  }
}
