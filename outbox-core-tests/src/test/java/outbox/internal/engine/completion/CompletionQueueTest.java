package outbox.internal.engine.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.internal.engine.delivery.Deliveries;
import outbox.internal.engine.delivery.Delivery;

@Timeout(60)
class CompletionQueueTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final AtomicInteger ready = new AtomicInteger();

  @Test
  void firstOutcomeAfterAPauseLeavesAtOnceAndLaterOnesAreCollected() {
    CompletionQueue queue = queue(HOUR, 3, 100);

    queue.add(delivery());
    assertThat(queue.dueAt() - System.nanoTime()).as("the first").isNotPositive();
    assertThat(queue.pollBatch()).hasSize(1);

    queue.add(delivery());
    queue.add(delivery());
    assertThat(queue.dueAt() - System.nanoTime()).as("those after it").isPositive();

    queue.add(delivery());
    assertThat(queue.dueAt() - System.nanoTime()).as("a full batch").isNotPositive();
    assertThat(queue.pollBatch()).hasSize(3);

    queue.add(delivery());
    queue.close();
    assertThat(queue.dueAt() - System.nanoTime()).as("the last").isNotPositive();
    assertThat(queue.pollBatch()).hasSize(1);
    assertThat(queue.pollBatch()).isEmpty();
  }

  @Test
  void theFirstOutcomeAndAFullBatchAreToldOf() {
    CompletionQueue queue = queue(HOUR, 3, 100);

    queue.add(delivery());
    assertThat(ready).hasValue(1);

    queue.add(delivery());
    assertThat(ready).hasValue(1);

    queue.add(delivery());
    assertThat(ready).hasValue(2);

    queue.pollBatch();
    queue.add(delivery());
    assertThat(ready).hasValue(3);
  }

  @Test
  void workersWaitForRoomBeforeTheyTakeMore() throws Exception {
    CompletionQueue queue = queue(Duration.ZERO, 10, 2);
    queue.add(delivery());
    queue.add(delivery());
    List<String> events = new CopyOnWriteArrayList<>();
    Thread worker =
        new Thread(
            () -> {
              try {
                queue.awaitRoom();
                events.add("room");
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    worker.start();
    await().atMost(Duration.ofSeconds(30)).until(() -> worker.getState() == Thread.State.WAITING);

    queue.pollBatch();

    worker.join();
    assertThat(events).containsExactly("room");
  }

  @Test
  void whatIsPutBackComesFirstAndInItsOrder() {
    CompletionQueue queue = queue(Duration.ZERO, 2, 100);
    Delivery first = delivery();
    Delivery second = delivery();
    Delivery third = delivery();
    queue.add(first);
    queue.add(second);
    List<Delivery> batch = queue.pollBatch();
    queue.add(third);

    queue.putBack(batch);

    assertThat(queue.pollBatch()).containsExactly(first, second);
    assertThat(queue.pollBatch()).containsExactly(third);
  }

  @Test
  void aBatchIsDueAfterTheIntervalOrAtOnceIfItIsFullOrTheLast() {
    CompletionQueue queue = queue(HOUR, 2, 100);
    assertThat(queue.pollBatch()).isEmpty();
    assertThat(queue.isEmpty()).isTrue();
    assertThat(isDue(queue)).as("the first one").isTrue();
    queue.add(delivery());
    assertThat(queue.isEmpty()).isFalse();
    assertThat(queue.pollBatch()).hasSize(1);

    queue.add(delivery());
    assertThat(isDue(queue)).isFalse();
    queue.add(delivery());
    assertThat(isDue(queue)).isTrue();
    queue.add(delivery());
    assertThat(queue.pollBatch()).hasSize(2);

    assertThat(isDue(queue)).isFalse();
    queue.close();
    assertThat(isDue(queue)).isTrue();
    assertThat(queue.pollBatch()).hasSize(1);
  }

  private static boolean isDue(CompletionQueue queue) {
    return queue.dueAt() - System.nanoTime() <= 0;
  }

  @Test
  void isFullFromItsCapacityOn() throws Exception {
    CompletionQueue queue = queue(Duration.ZERO, 1, 2);
    queue.add(delivery());
    assertThat(queue.hasRoom()).isTrue();
    queue.add(delivery());
    assertThat(queue.hasRoom()).isFalse();

    List<Delivery> batch = queue.pollBatch();
    assertThat(queue.hasRoom()).isTrue();
    queue.awaitRoom();
    queue.putBack(batch);
    assertThat(queue.hasRoom()).isFalse();

    queue.close();
    queue.awaitRoom();
    assertThat(queue.pollBatch()).isEqualTo(batch);
    assertThat(queue.pollBatch()).hasSize(1);
    assertThat(queue.pollBatch()).isEmpty();
  }

  private CompletionQueue queue(Duration interval, int batchSize, int capacity) {
    return new CompletionQueue(interval, batchSize, capacity, ready::incrementAndGet);
  }

  private static Delivery delivery() {
    return Deliveries.any();
  }
}
