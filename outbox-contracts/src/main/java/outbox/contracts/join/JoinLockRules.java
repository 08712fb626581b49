package outbox.contracts.join;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.HandlerResult;
import outbox.contracts.support.Spec;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.MessageId;
import outbox.model.OutboxEvent;

/** No wake-up is lost, and no two operations wait for each other. */
interface JoinLockRules extends JoinsUnderTest {

  /** Races the last step with a wait that has just found its join pending. */
  @Test
  default void noWakeUpIsLostWhileAWaitParks() throws Exception {
    JoinIdentifier join = joinOf(1, "a");
    MessageId waiting = waitFor(join);
    OutboxEvent event = claim(waiting.value()).get(0).event();
    claim("a");
    CountDownLatch acknowledged = new CountDownLatch(1);
    Thread lastStep =
        new Thread(
            () -> {
              ack("a");
              acknowledged.countDown();
            });
    try (Connection connection = beginTransaction()) {
      HandlerResult parked = handle(connection, event);
      assertThat(parked).isInstanceOf(HandlerResult.Deferred.class);
      lastStep.start();
      assertThat(acknowledged.await(300, TimeUnit.MILLISECONDS)).isFalse();
      settle(connection, waiting, parked);
      connection.commit();
    }
    lastStep.join();

    assertCounts(join, 1, 0, JoinStatus.COMPLETED);
    assertThat(isDue(waiting)).isTrue();
  }

  /** Each operation in a transaction of its own that is not tried again after a deadlock. */
  @Test
  @Spec({"JOIN-060", "JOIN-061", "JOIN-062"})
  default void operationsOnSharedJoinsAndMessagesNeverDeadlock() throws Exception {
    int workers = 6;
    int rounds = 25;
    List<JoinIdentifier> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      all.add(joins().startJoin(null, 10_000, null));
    }
    List<String> ids = IntStream.range(0, workers * rounds * 2).mapToObj(i -> "m" + i).toList();
    ids.forEach(this::enqueue);
    for (JoinIdentifier join : all) {
      joins()
          .attachAll(
              join, ids.stream().filter(id -> id.hashCode() % 3 > 0).map(MessageId::new).toList());
    }
    claim(ids.toArray(String[]::new));
    AtomicIntegerArray positions = new AtomicIntegerArray(workers);
    List<Callable<Boolean>> tasks = new ArrayList<>();
    for (int worker = 0; worker < workers; worker++) {
      int me = worker;
      tasks.add(() -> work(all, ids, positions, me, rounds));
    }

    concurrently(tasks);

    for (JoinIdentifier join : all) {
      assertThat(joins().missingSteps(join)).isEmpty();
      assertCounts(join, joins().steps(join).size(), 0, JoinStatus.PENDING);
    }
  }

  /** Ends its own messages and attaches, again and again, the one that another is ending now. */
  private boolean work(
      List<JoinIdentifier> all,
      List<String> ids,
      AtomicIntegerArray positions,
      int worker,
      int rounds)
      throws Exception {
    Random random = new Random(worker);
    for (int round = 0; round < rounds; round++) {
      int position = (worker * rounds + round) * 2;
      positions.set(worker, position);
      List<String> mine = List.of(ids.get(position), ids.get(position + 1));
      JoinIdentifier join = all.get(random.nextInt(all.size()));
      MessageId other = new MessageId(ids.get(positions.get(random.nextInt(positions.length()))));
      transaction(connection -> joins().in(connection).attach(join, other));
      List<String> left = new ArrayList<>(mine);
      while (!left.isEmpty()) {
        transaction(connection -> left.removeAll(events().ack(connection, ME, left)));
      }
      transaction(
          connection -> {
            joins().in(connection).attach(join, new MessageId(mine.get(0)));
            joins().in(connection).reportStepCompleted(join, new MessageId(mine.get(0)));
          });
    }
    return true;
  }

  private void transaction(Operation operation) throws Exception {
    try (Connection connection = beginTransaction()) {
      operation.on(connection);
      connection.commit();
    }
  }

  /** What one transaction does. */
  @FunctionalInterface
  interface Operation {
    void on(Connection connection) throws Exception;
  }
}
