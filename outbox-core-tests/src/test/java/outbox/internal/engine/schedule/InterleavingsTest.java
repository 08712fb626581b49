package outbox.internal.engine.schedule;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.dispatch.DefaultInFlightTracker;
import outbox.dispatch.InFlightTracker;
import outbox.internal.engine.StoreRuntime;
import outbox.internal.engine.completion.CompletionQueue;
import outbox.internal.engine.delivery.Deliveries;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.InFlight;
import outbox.internal.engine.delivery.Work;
import outbox.internal.engine.lanes.Lanes;
import outbox.internal.engine.schedule.StoreTask.Kind;
import outbox.routing.OutboxSelectionStrategy;
import outbox.routing.RoundRobinOutboxSelectionStrategy;

/**
 * A few threads in all the orders in which they can meet, as far as Lincheck gets with its number
 * of tries. A thread that waits for ever is an error as well. {@code -Doutbox.races=N} makes it N
 * times as many.
 */
@Tag("slow")
class InterleavingsTest extends ScheduledStores {
  private static final int TRIES = 40 * Integer.getInteger("outbox.races", 1);
  private static final long PLENTY = 1 << 20;

  private final EventEnvelope event = EventEnvelope.ofJson("Any", "{}");
  private final EventEnvelope other = EventEnvelope.ofJson("Any", "{}");

  @Test
  void whatIsOfferedToWaitingWorkersIsTakenOnce() {
    Delivery hot = delivery(event);
    Delivery cold = delivery(other);
    Lincheck.runConcurrentTest(
        TRIES,
        () -> {
          Lanes lanes = new Lanes(1, PLENTY, 1, PLENTY);
          List<Delivery> taken = shared();
          together(
              () -> require(lanes.offerHot(hot)),
              () -> require(lanes.offerCold(cold)),
              () -> taken.add((Delivery) lanes.take()),
              () -> taken.add((Delivery) lanes.take()));
          require(each(taken, hot, cold));
          require(lanes.hotDepth() + lanes.coldDepth() == 0);
        });
  }

  @Test
  void workersEndWhenTheLanesCloseAndNothingIsLeftBehind() {
    Delivery hot = delivery(event);
    Lincheck.runConcurrentTest(
        TRIES,
        () -> {
          Lanes lanes = new Lanes(1, PLENTY, 1, PLENTY);
          List<Delivery> taken = shared();
          AtomicInteger offered = new AtomicInteger();
          together(
              () -> offered.set(lanes.offerHot(hot) ? 1 : 0),
              lanes::close,
              () -> takeAll(lanes, taken),
              () -> takeAll(lanes, taken));
          require(taken.size() == offered.get());
        });
  }

  private static void takeAll(Lanes lanes, List<Delivery> taken) throws InterruptedException {
    for (Work next = lanes.take(); next != null; next = lanes.take()) {
      taken.add((Delivery) next);
    }
  }

  @Test
  void whoFoundTheColdLaneFullIsToldOfRoom() {
    Delivery first = delivery(event);
    Delivery second = delivery(other);
    Lincheck.runConcurrentTest(
        TRIES,
        () -> {
          Lanes lanes = new Lanes(1, PLENTY, 1, PLENTY);
          AtomicInteger told = new AtomicInteger();
          AtomicInteger fitted = new AtomicInteger();
          lanes.onColdRoom(told::incrementAndGet);
          lanes.offerCold(first);
          together(() -> fitted.set(lanes.offerCold(second) ? 1 : 0), lanes::take);
          require(fitted.get() + told.get() >= 1);
        });
  }

  @Test
  void ofTwoCopiesOfAnEventOneIsInFlightUntilItIsRemoved() {
    Lincheck.runConcurrentTest(
        TRIES,
        () -> {
          InFlightTracker tracker = new DefaultInFlightTracker();
          InFlight inFlight = new InFlight(tracker::tryAcquire, tracker::release);
          Delivery one = delivery(event);
          Delivery copy = delivery(event);
          AtomicInteger running = new AtomicInteger();
          AtomicInteger most = new AtomicInteger();
          together(
              () -> admit(inFlight, one, running, most),
              () -> admit(inFlight, copy, running, most));
          require(most.get() == 1);
          require(inFlight.size() == 0);
          require(inFlight.admit(delivery(event)));
        });
  }

  private static void admit(
      InFlight inFlight, Delivery delivery, AtomicInteger running, AtomicInteger most) {
    if (inFlight.admit(delivery)) {
      most.accumulateAndGet(running.incrementAndGet(), Math::max);
      running.decrementAndGet();
      inFlight.remove(delivery);
    }
  }

  @Test
  void everyOutcomeLeavesInOneBatchAndWorkersGetRoom() {
    Delivery first = delivery(event);
    Delivery second = delivery(other);
    Lincheck.runConcurrentTest(
        TRIES,
        () -> {
          Semaphore ready = new Semaphore(0);
          CompletionQueue queue = new CompletionQueue(Duration.ZERO, 1, 1, ready::release);
          List<Delivery> stored = shared();
          together(
              () -> addWhenThereIsRoom(queue, first),
              () -> addWhenThereIsRoom(queue, second),
              () -> storeTwo(queue, ready, stored));
          require(each(stored, first, second));
          require(queue.isEmpty() && queue.hasRoom());
        });
  }

  /** One batch after the other while there are any, and else when it is told that there is one. */
  private static void storeTwo(CompletionQueue queue, Semaphore ready, List<Delivery> stored)
      throws InterruptedException {
    while (stored.size() < 2) {
      if (queue.isEmpty()) {
        ready.acquire();
      }
      stored.addAll(queue.pollBatch());
    }
  }

  private static void addWhenThereIsRoom(CompletionQueue queue, Delivery delivery)
      throws InterruptedException {
    queue.awaitRoom();
    queue.add(delivery);
  }

  @Test
  void aBatchThatIsPutBackIsStoredBeforeTheQueueEnds() {
    Delivery first = delivery(event);
    Delivery second = delivery(other);
    Lincheck.runConcurrentTest(
        TRIES,
        () -> {
          Semaphore ready = new Semaphore(0);
          CompletionQueue queue = new CompletionQueue(Duration.ZERO, 1, 4, ready::release);
          List<Delivery> stored = shared();
          queue.add(first);
          together(
              () -> queue.add(second),
              () -> {
                queue.putBack(queue.pollBatch());
                storeTwo(queue, ready, stored);
              });
          queue.close();
          require(each(stored, first, second));
        });
  }

  @Test
  void everyRequestIsFollowedByARunAndNoDutyRunsTwiceAtOnce() {
    StoreRuntime runtime = served("store").runtime();
    OutboxSelectionStrategy strategy = new RoundRobinOutboxSelectionStrategy();
    Lincheck.runConcurrentTest(
        TRIES,
        () -> {
          TaskScheduler tried =
              new TaskScheduler(TaskQueues.ofMany(workers.lanes(), config, strategy, PERMITS));
          AtomicInteger asked = new AtomicInteger();
          AtomicInteger running = new AtomicInteger();
          AtomicInteger answered = new AtomicInteger();
          StoreTask task =
              new StoreTask(
                  runtime,
                  Kind.FLUSH,
                  share -> {
                    require(running.incrementAndGet() == 1);
                    answered.set(asked.get());
                    running.decrementAndGet();
                    return null;
                  });
          together(
              () -> {
                asked.incrementAndGet();
                tried.request(task);
                asked.incrementAndGet();
                tried.request(task);
              },
              () -> performOne(tried));
          if (answered.get() < asked.get()) {
            performOne(tried);
          }
          require(answered.get() == asked.get());
        });
  }

  private static void performOne(TaskScheduler scheduler) {
    try {
      StoreTask task = Objects.requireNonNull(scheduler.take());
      scheduler.done(task, task.perform());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean each(List<Delivery> all, Delivery one, Delivery other) {
    return all.size() == 2 && all.contains(one) && all.contains(other);
  }

  /** AssertJ's objects refuse to be compared, which Lincheck does with all that it sees. */
  private static void require(boolean holds) {
    if (!holds) {
      throw new AssertionError("does not hold in this order");
    }
  }

  private static <T> List<T> shared() {
    return Collections.synchronizedList(new ArrayList<>());
  }

  private static Delivery delivery(EventEnvelope event) {
    return Deliveries.of(event, "me");
  }

  private static void together(Step... steps) {
    List<Thread> threads = new ArrayList<>();
    for (Step step : steps) {
      threads.add(new Thread(() -> run(step)));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static void run(Step step) {
    try {
      step.run();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** What one thread does. */
  @FunctionalInterface
  private interface Step {
    void run() throws InterruptedException;
  }
}
