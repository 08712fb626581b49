package outbox.internal.engine.handling;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.OutboxConfig;
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
  private final ListenerRegistry listeners;
  private final OutboxConfig config;
  private final ListenerFailures failures;
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
    this.config = config;
    this.failures = new ListenerFailures(retries, workerLog, metrics);
    this.transactional =
        new TransactionalListeners(store, transactions, config.getNetworkTimeout());
    this.leaseRenewal = leaseRenewal;
    this.propagation = propagation;
    this.unreachable = unreachable;
    this.unhandled = new UnhandledEvents(config);
  }

  /** Runs the listeners, if they may run. */
  Result run(Delivery delivery) {
    Result refusal = refusal(delivery);
    if (refusal != null) {
      return refusal;
    }
    try {
      List<NamedListener> matching = listeners.namedListenersFor(delivery.eventType());
      if (matching.isEmpty()) {
        return Result.of(unhandled.outcomeOf(delivery));
      }
      Attempt attempt = new Attempt(delivery.listeners(), matching);
      return run(delivery, attempt, invocation(delivery));
    } catch (Throwable e) {
      return failed(delivery, e);
    }
  }

  /** A delivery as part of a batch; it has its result already if its listeners may not run. */
  Member member(Delivery delivery) {
    Result refusal = refusal(delivery);
    if (refusal != null) {
      return Member.ended(delivery, refusal);
    }
    try {
      List<NamedListener> matching = listeners.namedListenersFor(delivery.eventType());
      if (matching.isEmpty()) {
        return Member.ended(delivery, Result.of(unhandled.outcomeOf(delivery)));
      }
      Attempt attempt = new Attempt(delivery.listeners(), matching);
      return !attempt.transactional().isEmpty() && unreachable.getAsBoolean()
          ? Member.ended(delivery, Result.of(TransactionalListeners.PUT_OFF))
          : new Member(delivery, attempt, invocation(delivery));
    } catch (Throwable e) {
      return Member.ended(delivery, failed(delivery, e));
    }
  }

  /** Runs a listener for one delivery of a batch, outside of any transaction. */
  void runPlain(Member member, NamedListener listener) {
    runPlain(member.delivery(), member.attempt(), listener, member.invocation());
  }

  /** Runs the transactional listeners for one delivery of a batch, which ends by this. */
  void runTransactional(Member member, List<NamedListener> inTransaction) {
    Delivery delivery = member.delivery();
    Attempt attempt = member.attempt();
    member.end(
        transactional.run(
            delivery, attempt, inTransaction, member.invocation(), judge(delivery, attempt)));
  }

  TransactionalListeners transactional() {
    return transactional;
  }

  /** What is left to say of a delivery of a batch whose listeners have run. */
  Result concluded(Member member) {
    return counted(member.delivery(), member.attempt(), member.result());
  }

  ListenerFailures failures() {
    return failures;
  }

  /** The end of an event that may not run at all; null if it may. */
  private @Nullable Result refusal(Delivery delivery) {
    if (delivery.leaseExpiries() >= config.getMaxLeaseExpiries()) {
      return dead(
          "poisoned: its lease expired " + delivery.leaseExpiries() + " times while it ran");
    }
    return delivery.isExpired() ? dead("expired") : null;
  }

  private Result failed(Delivery delivery, Throwable error) {
    Outcome outcome = failures.outcomeOf(delivery, error);
    return delivery.isLost() ? Result.LEASE_LOST : Result.of(outcome);
  }

  private Invocation invocation(Delivery delivery) {
    return new Invocation(delivery, leaseRenewal, propagation);
  }

  /** First the plain ones, outside of any transaction, then the transactional ones. */
  private Result run(Delivery delivery, Attempt attempt, Invocation invocation) {
    List<NamedListener> inTransaction = attempt.transactional();
    if (!inTransaction.isEmpty() && unreachable.getAsBoolean()) {
      return Result.of(TransactionalListeners.PUT_OFF);
    }
    for (NamedListener each : attempt.plain()) {
      runPlain(delivery, attempt, each, invocation);
    }
    Result result =
        inTransaction.isEmpty()
            ? Result.of(attempt.outcome())
            : transactional.run(
                delivery, attempt, inTransaction, invocation, judge(delivery, attempt));
    return counted(delivery, attempt, result);
  }

  private void runPlain(
      Delivery delivery, Attempt attempt, NamedListener listener, Invocation invocation) {
    if (delivery.mayRunNext()) {
      attempt.ended(listener, plain(delivery, attempt, listener, invocation));
    }
  }

  private Outcome plain(
      Delivery delivery, Attempt attempt, NamedListener listener, Invocation invocation) {
    try {
      return invocation.call(listener.listener(), null);
    } catch (Throwable e) {
      return failures.outcomeOf(delivery, attempt, listener, e, false);
    }
  }

  private TransactionalListeners.Judge judge(Delivery delivery, Attempt attempt) {
    return (each, error, outage) -> failures.outcomeOf(delivery, attempt, each, error, outage);
  }

  /** Counts a delivery that failed, unless another worker has the event. */
  private Result counted(Delivery delivery, Attempt attempt, Result result) {
    if (delivery.isLost() && result.storedAs() == null) {
      return Result.LEASE_LOST;
    }
    if (attempt.hasFailed() && result.outcome() != null) {
      failures.failed(delivery);
    }
    return result;
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
