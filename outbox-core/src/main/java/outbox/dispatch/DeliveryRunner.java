package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.DeferException;
import outbox.EventListener;
import outbox.OutboxConfig;
import outbox.registry.ListenerRegistry;
import outbox.spi.LeasedEventStore;
import outbox.spi.MetricsExporter;
import outbox.spi.Propagation;
import outbox.spi.TransactionRunner;
import outbox.spi.TransactionWatch;
import outbox.util.NetworkLimit;

/** Decides about one delivery and runs its listeners. Thread-safe; called by many workers. */
final class DeliveryRunner {
  private static final Logger LOG = System.getLogger(OutboxDispatcher.class.getName());

  /** No transaction is to be had: the event did not run, and comes again when one may be. */
  private static final Outcome PUT_OFF = new Outcome.Defer(Duration.ofSeconds(1));

  private final ListenerRegistry listeners;
  private final TopicRetries retries;
  private final WorkerLog workerLog;
  private final OutboxConfig config;
  private final MetricsExporter metrics;
  private final LeasedEventStore store;
  private final @Nullable TransactionRunner transactions;
  private final Predicate<Delivery> leaseRenewal;
  private final Propagation propagation;
  private final BooleanSupplier unreachable;
  private final UnhandledEvents unhandled;

  /**
   * Made once per station.
   *
   * @param unreachable whether to begin no transaction, because the database is down and workers
   *     have others to serve
   */
  DeliveryRunner(
      ListenerRegistry listeners,
      TopicRetries retries,
      WorkerLog workerLog,
      OutboxConfig config,
      MetricsExporter metrics,
      LeasedEventStore store,
      @Nullable TransactionRunner transactions,
      Predicate<Delivery> leaseRenewal,
      Propagation propagation,
      BooleanSupplier unreachable) {
    this.listeners = listeners;
    this.retries = retries;
    this.workerLog = workerLog;
    this.config = config;
    this.metrics = metrics;
    this.store = store;
    this.transactions = transactions;
    this.leaseRenewal = leaseRenewal;
    this.propagation = propagation;
    this.unreachable = unreachable;
    this.unhandled = new UnhandledEvents(config);
  }

  /** Runs the listeners, if they may run. */
  Result run(Delivery delivery) {
    if (delivery.leaseExpiries() >= config.getMaxLeaseExpiries()) {
      return dead(
          "poisoned: its lease ran out " + delivery.leaseExpiries() + " times while it ran");
    }
    Instant expiresAt = delivery.envelope().expiresAt();
    if (expiresAt != null && !delivery.now().isBefore(expiresAt)) {
      return dead("expired");
    }
    try {
      List<EventListener> matching = listeners.listenersFor(delivery.eventType());
      if (matching.isEmpty()) {
        return Result.of(unhandled.outcomeOf(delivery));
      }
      Invocation invocation = new Invocation(delivery, matching, leaseRenewal, propagation);
      return invocation.needsTransaction()
          ? runInTransaction(delivery, invocation)
          : Result.of(invocation.call(null));
    } catch (NotBegunException e) {
      return delivery.isLost() || delivery.isCutShort()
          ? cancelled(delivery, e)
          : Result.notBegun(e);
    } catch (DeferException e) {
      return deferred(delivery, e.delay());
    } catch (Throwable e) {
      return delivery.isLost() || delivery.isCutShort()
          ? cancelled(delivery, e)
          : failed(delivery, e);
    }
  }

  /**
   * The listeners' writes and the outcome commit together, or the outcome did not match and all
   * roll back.
   */
  private Result runInTransaction(Delivery delivery, Invocation invocation) throws Exception {
    if (transactions == null) {
      throw new IllegalStateException(
          "a TransactionalEventListener or TransactionalOutboxHandler needs a transaction; build"
              + " the dispatcher with transactions(…)");
    }
    if (unreachable.getAsBoolean()) {
      return Result.of(PUT_OFF);
    }
    AtomicReference<Result> result = new AtomicReference<>(Result.LEASE_LOST);
    AtomicReference<@Nullable Result> refusal = new AtomicReference<>();
    Run run = delivery.run();
    run.asksDatabase();
    try {
      NotBegunException.orRun(
          transactions,
          config.getNetworkTimeout(),
          given -> {
            run.databaseAnswered();
            if (delivery.isGivenUp()) {
              refusal.set(givenUp(delivery));
              throw new NotStoredException();
            }
            Connection connection = GuardedConnection.watched(given);
            TransactionWatch watch = Objects.requireNonNull(TransactionWatch.of(connection));
            watch.expectProof();
            Outcome outcome = invocation.call(GuardedConnection.of(connection));
            NetworkLimit.on(connection, config.getNetworkTimeout());
            String owner = Objects.requireNonNull(delivery.hold().owner());
            FencedChange.Result stored =
                FencedChange.apply(
                    store,
                    connection,
                    owner,
                    delivery.id(),
                    () -> isWorthWaitingFor(delivery),
                    () -> {
                      run.asksDatabase();
                      return change(connection, owner, delivery.id(), outcome);
                    });
            if (stored != FencedChange.Result.CHANGED) {
              refusal.set(rolledBack(delivery, stored));
              throw new NotStoredException();
            }
            watch.prove();
            result.set(Result.stored(outcome, owner));
            run.asksDatabase();
          });
    } catch (Exception e) {
      // Asked by the reference, not by the type: a runner may wrap what it rolls back for.
      Result refused = refusal.get();
      if (refused != null) {
        return refused;
      }
      throw e;
    } finally {
      run.databaseAnswered();
    }
    return Objects.requireNonNull(result.get());
  }

  /** Its lease was not renewed while the transaction began: it must not run, and may be free. */
  private static Result givenUp(Delivery delivery) {
    return delivery.isLost() ? Result.LEASE_LOST : Result.of(Outcome.RELEASE);
  }

  /** Nobody takes a row that is locked, be its lease over; but its holder may wait for this one. */
  private static boolean isWorthWaitingFor(Delivery delivery) {
    return !delivery.run().isCancelled() && !delivery.deadlinePassed(System.nanoTime());
  }

  /** One whose row is locked is given back as soon as it is free, and handled again at once. */
  private static Result rolledBack(Delivery delivery, FencedChange.Result stored) {
    if (stored == FencedChange.Result.LOST || delivery.isLost()) {
      return Result.LEASE_LOST;
    }
    LOG.log(
        Level.WARNING,
        "listener rolled back, to be run again: another transaction has kept the row locked {0};"
            + " keep transactions that touch it short, or raise leaseDuration",
        delivery);
    return Result.of(Outcome.RELEASE);
  }

  private Set<String> change(Connection connection, String owner, String id, Outcome outcome) {
    return outcome instanceof Outcome.Defer defer
        ? store.defer(connection, owner, List.of(id), defer.delay())
        : store.ack(connection, owner, List.of(id));
  }

  private static Result deferred(Delivery delivery, Duration delay) {
    if (delivery.isLost()) {
      return Result.LEASE_LOST;
    }
    LOG.log(Level.DEBUG, () -> "deferred by its listener " + delivery + " for=" + delay);
    return Result.of(new Outcome.Defer(delay));
  }

  /** What a listener throws after it was told to stop is not its fault. */
  private static Result cancelled(Delivery delivery, Throwable error) {
    LOG.log(
        Level.DEBUG,
        () -> "listener cancelled " + delivery + " with=" + error.getClass().getName());
    return delivery.isLost() ? Result.LEASE_LOST : Result.of(Outcome.RELEASE);
  }

  private Result failed(Delivery delivery, Throwable error) {
    if (!delivery.isInternal()) {
      metrics.incrementDispatchFailure();
    }
    LOG.log(
        Level.ERROR,
        "listener failed " + delivery + "; last_error has the messages",
        FailureTrace.of(error));
    workerLog.failed(delivery, retries.maxAttempts(delivery.eventType()));
    return Result.of(retries.outcomeOf(delivery, error));
  }

  private static Result dead(String reason) {
    return Result.of(new Outcome.Dead(reason, reason));
  }

  /**
   * What a run came to: an outcome to store, one that is stored already, or a lease that is gone.
   *
   * @param outcome null if the lease is gone
   * @param storedAs the owner under which it is stored; null if it is not
   * @param refusal why there was no transaction to run in; null if none was missed
   */
  record Result(@Nullable Outcome outcome, @Nullable String storedAs, @Nullable Throwable refusal) {
    static final Result LEASE_LOST = new Result(null, null, null);

    static Result of(Outcome outcome) {
      return new Result(outcome, null, null);
    }

    static Result stored(Outcome outcome, String owner) {
      return new Result(outcome, owner, null);
    }

    static Result notBegun(Throwable refusal) {
      return new Result(PUT_OFF, null, refusal);
    }
  }

  /** Rolls the listener's transaction back, because its outcome matched no row. */
  private static final class NotStoredException extends Exception {
    private static final long serialVersionUID = 1L;
  }
}
