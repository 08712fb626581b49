package outbox.testing;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import outbox.dispatch.OutboxDispatcher;

/**
 * Runs the listeners of an outbox when the test says so. From its creation until {@link #close}
 * they run in {@link #runAll} and at no other time. Works with every outbox or inbox that has a
 * dispatcher:
 *
 * <pre>{@code
 * try (OutboxDriver driver = OutboxDriver.of(outbox.dispatcher())) {
 *   orders.place(order);
 *   driver.runAll();
 * }
 * }</pre>
 *
 * <p>Thread-safe. Use one for a dispatcher at a time.
 */
public final class OutboxDriver implements AutoCloseable {
  private static final Duration DEFAULT_LIMIT = Duration.ofSeconds(60);

  private final Supplier<? extends Collection<OutboxDispatcher>> dispatchers;
  private final Duration limit;

  private OutboxDriver(
      Supplier<? extends Collection<OutboxDispatcher>> dispatchers, Duration limit) {
    this.dispatchers = requireNonNull(dispatchers, "dispatchers");
    this.limit = requireNonNull(limit, "limit");
    dispatchers.get().forEach(OutboxDispatcher::pause);
  }

  /** Pauses the dispatcher, and drives it until it is closed. */
  public static OutboxDriver of(OutboxDispatcher dispatcher) {
    return of(dispatcher, DEFAULT_LIMIT);
  }

  /**
   * Pauses the dispatcher, and drives it until it is closed.
   *
   * @param limit how long {@link #runAll} waits at the most; one minute by default
   */
  public static OutboxDriver of(OutboxDispatcher dispatcher, Duration limit) {
    requireNonNull(dispatcher, "dispatcher");
    return new OutboxDriver(() -> List.of(dispatcher), limit);
  }

  /**
   * Pauses several dispatchers, such as those of an outbox and an inbox, and drives them until it
   * is closed.
   *
   * @param dispatchers asked again for each run, so that there may be more by then
   */
  public static OutboxDriver ofAll(Supplier<? extends Collection<OutboxDispatcher>> dispatchers) {
    return new OutboxDriver(dispatchers, DEFAULT_LIMIT);
  }

  /**
   * Runs the listeners of all events that are due, and of those that they publish, and waits until
   * the outbox is idle. Retries and events that are due later stay. The listeners run on the
   * threads of the outbox.
   *
   * @throws AssertionError if the outbox is not idle when the limit is over
   */
  public void runAll() {
    try {
      while (runEach() > 0) {
        // What one of them handled may have left something due for another.
      }
    } catch (TimeoutException e) {
      throw new AssertionError(
          "the outbox is not idle: "
              + e.getMessage()
              + "; a listener hangs, or events become due again and again, such as by a retry"
              + " without a delay",
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted before the outbox was idle", e);
    }
  }

  private int runEach() throws InterruptedException, TimeoutException {
    Collection<OutboxDispatcher> all = dispatchers.get();
    int ran = 0;
    for (OutboxDispatcher each : all) {
      each.pause();
      ran += each.runDue(limit);
    }
    return all.size() > 1 ? ran : 0;
  }

  /** Lets the outbox run its listeners by itself again. */
  @Override
  public void close() {
    dispatchers.get().forEach(OutboxDispatcher::resume);
  }
}
