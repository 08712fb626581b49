package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.dispatch.Delivery.Hold;
import outbox.dispatch.QueuedEvent.Source;

@Timeout(60)
class CompletionQueueTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void firstOutcomeAfterAPauseLeavesAtOnceAndLaterOnesAreCollected() throws Exception {
    CompletionQueue queue = new CompletionQueue(HOUR, 3, 100);

    queue.add(delivery());
    assertThat(queue.nextBatch()).hasSize(1);

    List<Integer> batches = new CopyOnWriteArrayList<>();
    Thread flusher = new Thread(() -> record(queue, batches));
    flusher.start();
    queue.add(delivery());
    queue.add(delivery());
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> flusher.getState() == Thread.State.TIMED_WAITING);
    assertThat(batches).isEmpty();

    queue.add(delivery());
    await().atMost(Duration.ofSeconds(30)).until(() -> batches.equals(List.of(3)));

    queue.add(delivery());
    queue.close();
    flusher.join();
    assertThat(batches).containsExactly(3, 1);
  }

  @Test
  void workersWaitForRoomBeforeTheyTakeMore() throws Exception {
    CompletionQueue queue = new CompletionQueue(Duration.ZERO, 10, 2);
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

    queue.nextBatch();

    worker.join();
    assertThat(events).containsExactly("room");
  }

  @Test
  void whatIsPutBackComesFirstAndInItsOrder() throws Exception {
    CompletionQueue queue = new CompletionQueue(Duration.ZERO, 2, 100);
    Delivery first = delivery();
    Delivery second = delivery();
    Delivery third = delivery();
    queue.add(first);
    queue.add(second);
    List<Delivery> batch = queue.nextBatch();
    queue.add(third);

    queue.putBack(batch);

    assertThat(queue.nextBatch()).containsExactly(first, second);
    assertThat(queue.nextBatch()).containsExactly(third);
  }

  private static void record(CompletionQueue queue, List<Integer> batches) {
    try {
      for (List<Delivery> batch = queue.nextBatch(); !batch.isEmpty(); batch = queue.nextBatch()) {
        batches.add(batch.size());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Delivery delivery() {
    return Delivery.of(
        new QueuedEvent(EventEnvelope.ofJson("Any", "{}"), Source.HOT, 0), new Hold("me", 0));
  }
}
