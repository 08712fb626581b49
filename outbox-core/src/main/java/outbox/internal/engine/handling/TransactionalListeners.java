package outbox.internal.engine.handling;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.internal.connection.NetworkLimit;
import outbox.internal.engine.common.LoggerNames;
import outbox.internal.engine.completion.Completer;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Outcome;
import outbox.internal.engine.delivery.Run;
import outbox.internal.engine.delivery.Stage;
import outbox.internal.engine.handling.DeliveryRunner.Result;
import outbox.internal.engine.lease.FencedChange;
import outbox.registry.NamedListener;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.Failure;
import outbox.spi.TransactionRunner;
import outbox.spi.TransactionWatch;

/**
 * Runs transactional listeners: their writes and the outcome of the event commit together. One that
 * throws rolls all of them back; the others run again without it, and their writes commit with the
 * record that they are done. Thread-safe; called by many workers.
 */
final class TransactionalListeners {
  private static final Logger LOG = System.getLogger(LoggerNames.DISPATCHER);

  /** No transaction is to be had: the event did not run, and comes again when one may be. */
  static final Outcome PUT_OFF = new Outcome.Defer(Duration.ofSeconds(1));

  private final LeasedEventStore store;
  private final @Nullable TransactionRunner transactions;
  private final Duration networkTimeout;

  TransactionalListeners(
      LeasedEventStore store, @Nullable TransactionRunner transactions, Duration networkTimeout) {
    this.store = store;
    this.transactions = transactions;
    this.networkTimeout = networkTimeout;
  }

  /** What becomes of a listener that threw. */
  @FunctionalInterface
  interface Judge {
    Outcome outcomeOf(NamedListener listener, Throwable error, boolean connectionBroke);
  }

  /**
   * Runs the listeners for as long as the delivery is not cancelled. If a commit fails, it cannot
   * be told whose fault that is, so that from then on each runs alone.
   */
  Result run(
      Delivery delivery,
      Attempt attempt,
      List<NamedListener> listeners,
      Invocation invocation,
      Judge judge) {
    List<NamedListener> rest = new ArrayList<>(listeners);
    boolean alone = false;
    @Nullable Throwable outage = null;
    while (!rest.isEmpty() && delivery.mayRunNext()) {
      List<NamedListener> together = alone ? List.of(rest.get(0)) : List.copyOf(rest);
      Turn turn = new Turn(delivery, attempt, together, invocation);
      try {
        return runTogether(turn);
      } catch (Throwable e) {
        together.forEach(each -> attempt.ended(each, null));
        if (e instanceof NotBegunException && !delivery.isCutShort()) {
          together.forEach(each -> attempt.ended(each, PUT_OFF));
          return Result.missed(attempt.outcome(), e);
        }
        if (turn.connectionBroke) {
          outage = e;
        }
        NamedListener thrower = turn.thrower;
        if (thrower == null && together.size() > 1) {
          alone = true;
        } else {
          NamedListener failed = thrower == null ? together.get(0) : thrower;
          Throwable error = turn.error == null ? e : turn.error;
          attempt.ended(failed, judge.outcomeOf(failed, error, turn.connectionBroke));
          rest.remove(failed);
        }
      }
    }
    return Result.missed(attempt.outcome(), outage);
  }

  /** Commits the writes of the listeners with the outcome; rolls back if that matched no row. */
  private Result runTogether(Turn turn) throws Exception {
    if (transactions == null) {
      throw new IllegalStateException(
          "a transactional listener or handler needs a transaction; build the dispatcher with"
              + " transactions(…)");
    }
    Handled handled = new Handled(turn);
    turn.delivery.run().asksDatabase();
    try {
      NotBegunException.orRun(transactions, networkTimeout, handled);
    } catch (Throwable e) {
      // Asked by the reference, not by the type: a runner may wrap what it rolls back for.
      if (handled.refusal != null) {
        turn.delivery.rolledBack();
        return handled.refusal;
      }
      if (handled.committed) {
        LOG.log(Level.ERROR, "callback after the commit of a listener failed " + turn.delivery, e);
        return handled.result;
      }
      turn.delivery.rolledBack();
      throw e;
    } finally {
      turn.delivery.run().databaseAnswered();
    }
    return handled.result;
  }

  /** A turn and the storing of its outcome, as the work of one transaction. */
  private final class Handled implements TransactionRunner.Work {
    private final Turn turn;
    private final Run run;
    private Result result = Result.LEASE_LOST;

    /** Why the transaction is rolled back although no listener threw. */
    private @Nullable Result refusal;

    /** Whether the database has the outcome, whatever the application's callbacks throw. */
    private boolean committed;

    private Handled(Turn turn) {
      this.turn = turn;
      this.run = turn.delivery.run();
    }

    @Override
    public void run(Connection given) throws Exception {
      try {
        runIn(given);
      } catch (Throwable e) {
        turn.connectionBroke = isBroken(given);
        throw e;
      }
    }

    private void runIn(Connection given) throws Exception {
      run.databaseAnswered();
      turn.delivery.rolledBack(); // what an earlier try of the runner wrote
      if (turn.delivery.isGivenUp()) {
        refusal = notRun(turn);
        throw new NotStoredException();
      }
      Connection connection = GuardedConnection.watched(given);
      TransactionWatch watch = Objects.requireNonNull(TransactionWatch.of(connection));
      watch.expectProof();
      Outcome outcome = turn.run(GuardedConnection.of(connection));
      NetworkLimit.on(connection, networkTimeout);
      String owner = Objects.requireNonNull(turn.delivery.hold().owner());
      FencedChange.Result stored = store(connection, owner, outcome);
      if (stored != FencedChange.Result.CHANGED) {
        refusal = rolledBack(turn, stored);
        throw new NotStoredException();
      }
      watch.prove();
      turn.delivery.outcomeWritten();
      result = Result.stored(outcome, owner);
      run.databaseAnswered();
    }

    private FencedChange.Result store(Connection connection, String owner, Outcome outcome) {
      String id = turn.delivery.id();
      return FencedChange.apply(
          store,
          connection,
          owner,
          id,
          () -> isWorthWaitingFor(turn.delivery),
          () -> {
            run.asksDatabase();
            return change(connection, owner, id, outcome);
          });
    }

    @Override
    public void committing() {
      run.asksDatabase();
    }

    @Override
    public void ended(boolean success) {
      run.databaseAnswered();
      committed = success;
      if (success && turn.delivery.stage() == Stage.WRITTEN) {
        turn.delivery.committed();
      }
    }
  }

  /** Drivers and pools close a connection that has lost its server. */
  private static boolean isBroken(Connection connection) {
    try {
      return connection.isClosed();
    } catch (SQLException e) {
      return true;
    }
  }

  /**
   * No other node takes a locked row, even after its lease; but the holder of the lock may wait for
   * this one.
   */
  private static boolean isWorthWaitingFor(Delivery delivery) {
    return !delivery.run().isCancelled() && !delivery.deadlinePassed(System.nanoTime());
  }

  /** One whose row is locked is given back as soon as it is free, and handled again at once. */
  private static Result rolledBack(Turn turn, FencedChange.Result stored) {
    if (stored == FencedChange.Result.LOST || turn.delivery.isLost()) {
      return Result.LEASE_LOST;
    }
    LOG.log(
        Level.WARNING,
        "listener rolled back, to be run again: another transaction has kept the row locked {0};"
            + " keep transactions that touch it short, or raise leaseDuration",
        turn.delivery);
    return notRun(turn);
  }

  /** These listeners did not run, or for nothing; what became of the others counts. */
  private static Result notRun(Turn turn) {
    turn.listeners.forEach(each -> turn.attempt.ended(each, null));
    return turn.delivery.isLost() ? Result.LEASE_LOST : Result.of(turn.attempt.outcome());
  }

  @Nullable TransactionRunner transactions() {
    return transactions;
  }

  Duration networkTimeout() {
    return networkTimeout;
  }

  /** Marks events done under their fence; returns those that it changed. */
  Set<String> ack(Connection connection, String owner, List<String> ids) {
    return store.ack(connection, owner, ids);
  }

  /** Writes the outcome of an event under its fence; empty if it is not the owner's to change. */
  Set<String> change(Connection connection, String owner, String id, Outcome outcome) {
    if (outcome instanceof Outcome.Done) {
      return store.ack(connection, owner, List.of(id));
    }
    if (outcome instanceof Outcome.Defer defer) {
      return store.defer(connection, owner, List.of(id), defer.delay(), defer.listeners());
    }
    List<Failure> failure = List.of(Completer.failure(id, outcome));
    return outcome instanceof Outcome.Dead
        ? store.fail(connection, owner, failure)
        : store.abandon(connection, owner, failure);
  }

  /** One try of listeners that share a transaction. */
  private static final class Turn {
    private final Delivery delivery;
    private final Attempt attempt;
    private final List<NamedListener> listeners;
    private final Invocation invocation;

    /** Who threw; null if it was none of them but the transaction. */
    private @Nullable NamedListener thrower;

    /** What was thrown, however the transaction's runner has wrapped it. */
    private @Nullable Throwable error;

    /** Whether the transaction's connection was lost under the listeners. */
    private boolean connectionBroke;

    Turn(Delivery delivery, Attempt attempt, List<NamedListener> listeners, Invocation invocation) {
      this.delivery = delivery;
      this.attempt = attempt;
      this.listeners = listeners;
      this.invocation = invocation;
    }

    /** Calls the listeners until one throws; returns what becomes of the event if all commit. */
    Outcome run(Connection connection) throws Exception {
      for (NamedListener each : listeners) {
        try {
          attempt.ended(each, invocation.call(each.listener(), connection));
        } catch (Throwable e) {
          thrower = each;
          error = e;
          throw e;
        }
      }
      return attempt.outcome();
    }
  }

  /** Rolls the listeners' transaction back, because its outcome matched no row. */
  private static final class NotStoredException extends Exception {
    private static final long serialVersionUID = 1L;
  }
}
