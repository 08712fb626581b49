package outbox.internal.engine.handling;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.DeferException;
import outbox.OutboxConfig;
import outbox.internal.engine.common.FailureTrace;
import outbox.internal.engine.common.LoggerNames;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Outcome;
import outbox.internal.engine.delivery.WorkerLog;
import outbox.registry.ListenerRegistry;
import outbox.registry.NamedListener;
import outbox.spi.LeasedEventStore;
import outbox.spi.MetricsExporter;
import outbox.spi.Propagation;
import outbox.spi.TransactionRunner;

/** Decides about one delivery and runs its listeners. Thread-safe; called by many workers. */
public final class DeliveryRunner {
  private static final Logger LOG = System.getLogger(LoggerNames.DISPATCHER);

  private final ListenerRegistry listeners;
  private final RetryRules retries;
  private final WorkerLog workerLog;
  private final OutboxConfig config;
  private final MetricsExporter metrics;
  private final TransactionalListeners transactional;
  private final Predicate<Delivery> leaseRenewal;
  private final Propagation propagation;
  private final BooleanSupplier unreachable;
  private final UnhandledEvents unhandled;

  /**
   * Made once per store.
   *
   * @param unreachable whether to begin no transaction, because the database is down and workers
   *     have others to serve
   */
  public DeliveryRunner(
      ListenerRegistry listeners,
      RetryRules retries,
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
    this.transactional =
        new TransactionalListeners(store, transactions, config.getNetworkTimeout());
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
    if (delivery.isExpired()) {
      return dead("expired");
    }
    try {
      List<NamedListener> matching = listeners.namedListenersFor(delivery.eventType());
      if (matching.isEmpty()) {
        return Result.of(unhandled.outcomeOf(delivery));
      }
      Attempt attempt = new Attempt(delivery.listeners(), matching);
      return run(delivery, attempt, new Invocation(delivery, leaseRenewal, propagation));
    } catch (Throwable e) {
      if (delivery.isLost() || delivery.isCutShort()) {
        cancelled(delivery, e);
        return delivery.isLost() ? Result.LEASE_LOST : Result.of(Outcome.RELEASE);
      }
      log(delivery, "", e);
      failed(delivery);
      return Result.of(retries.outcomeOf(delivery, e));
    }
  }

  /** First the plain ones, outside of any transaction, then the transactional ones. */
  private Result run(Delivery delivery, Attempt attempt, Invocation invocation) {
    List<NamedListener> inTransaction = attempt.transactional();
    if (!inTransaction.isEmpty() && unreachable.getAsBoolean()) {
      return Result.of(TransactionalListeners.PUT_OFF);
    }
    for (NamedListener each : attempt.plain()) {
      if (delivery.mayRunNext()) {
        attempt.ended(each, plain(delivery, attempt, each, invocation));
      }
    }
    Result result =
        inTransaction.isEmpty()
            ? Result.of(attempt.outcome())
            : transactional.run(
                delivery,
                attempt,
                inTransaction,
                invocation,
                (each, error, outage) -> outcomeOf(delivery, attempt, each, error, outage));
    if (delivery.isLost() && result.storedAs() == null) {
      return Result.LEASE_LOST;
    }
    if (attempt.hasFailed() && result.outcome() != null) {
      failed(delivery);
    }
    return result;
  }

  private Outcome plain(
      Delivery delivery, Attempt attempt, NamedListener listener, Invocation invocation) {
    try {
      return invocation.call(listener.listener(), null);
    } catch (Throwable e) {
      return outcomeOf(delivery, attempt, listener, e, false);
    }
  }

  /**
   * What becomes of a listener that threw.
   *
   * @param outage its connection was lost, which is told once and not for each event
   */
  private Outcome outcomeOf(
      Delivery delivery, Attempt attempt, NamedListener listener, Throwable error, boolean outage) {
    if (error instanceof DeferException defer) {
      LOG.log(
          Level.DEBUG,
          () ->
              "deferred by its listener "
                  + delivery
                  + attempt.logged(listener)
                  + " for="
                  + defer.delay());
      return new Outcome.Defer(defer.delay());
    }
    if (delivery.isLost() || delivery.isCutShort()) {
      cancelled(delivery, error);
      return Outcome.RELEASE;
    }
    if (outage) {
      LOG.log(
          Level.DEBUG, () -> "listener lost its connection " + delivery + attempt.logged(listener));
    } else {
      log(delivery, attempt.logged(listener), error);
    }
    return retries.outcomeOf(delivery, error);
  }

  /** What a listener throws after it was told to stop is not its fault. */
  private static void cancelled(Delivery delivery, Throwable error) {
    LOG.log(
        Level.DEBUG,
        () -> "listener cancelled " + delivery + " with=" + error.getClass().getName());
  }

  private static void log(Delivery delivery, String listener, Throwable error) {
    LOG.log(Level.ERROR, "listener failed " + delivery + listener, FailureTrace.of(error));
  }

  /** Counts a failed delivery, however many of its listeners failed. */
  private void failed(Delivery delivery) {
    if (!delivery.isInternal()) {
      metrics.incrementDispatchFailure();
    }
    workerLog.failed(delivery, retries.maxAttempts(delivery.eventType()));
  }

  private static Result dead(String reason) {
    return Result.of(new Outcome.Dead(reason, reason));
  }

  /**
   * What a run came to: an outcome to store, one that is stored already, or a lease that is gone.
   *
   * @param outcome null if the lease is gone
   * @param storedAs the owner under which it is stored; null if it is not
   * @param outage why there was no transaction to run in, or to commit; null if none was missed
   */
  record Result(@Nullable Outcome outcome, @Nullable String storedAs, @Nullable Throwable outage) {
    static final Result LEASE_LOST = new Result(null, null, null);

    static Result of(Outcome outcome) {
      return new Result(outcome, null, null);
    }

    static Result stored(Outcome outcome, String owner) {
      return new Result(outcome, owner, null);
    }

    static Result missed(Outcome outcome, @Nullable Throwable outage) {
      return new Result(outcome, null, outage);
    }
  }
}
