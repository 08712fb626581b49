package outbox.internal.engine.handling;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.DeferException;
import outbox.internal.batch.BatchedListener;
import outbox.internal.connection.NetworkLimit;
import outbox.internal.engine.common.LoggerNames;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Outcome;
import outbox.internal.engine.delivery.Run;
import outbox.internal.engine.delivery.Stage;
import outbox.internal.engine.handling.BatchCall.Part;
import outbox.internal.engine.handling.DeliveryRunner.Result;
import outbox.registry.NamedListener;
import outbox.spi.TransactionRunner;
import outbox.spi.TransactionWatch;

/** One try of all transactional listeners of a batch in one transaction. Used by one worker. */
final class TransactionalBatch implements TransactionRunner.Work {
  private static final Logger LOG = System.getLogger(LoggerNames.DISPATCHER);

  private final Run run;
  private final List<Member> members;
  private final BatchRunner batches;
  private final TransactionalListeners transactional;
  private final List<Result> results = new ArrayList<>();
  private final boolean ended;
  private @Nullable BatchCall failedCall;

  /** Whether the database has the outcomes, whatever the application's callbacks throw. */
  private boolean committed;

  /** Runs the listeners of these members. */
  TransactionalBatch(Run run, List<Member> members, DeliveryRunner runner, BatchRunner batches) {
    this.run = run;
    this.members = List.copyOf(members);
    this.batches = batches;
    this.transactional = runner.transactional();
    this.ended = runTogether();
  }

  /** Whether all members have their results; otherwise everything is rolled back. */
  boolean hasEnded() {
    return ended;
  }

  /** Those that a listener said have failed, which is why everything is rolled back. */
  List<Part> failed() {
    return failedCall == null ? List.of() : failedCall.parts();
  }

  /** The call in which they failed, with no others. */
  BatchCall failedCall() {
    return requireNonNull(failedCall, "none has failed");
  }

  private boolean runTogether() {
    TransactionRunner transactions = transactional.transactions();
    if (transactions == null) {
      return false;
    }
    run.asksDatabase();
    try {
      NotBegunException.orRun(transactions, transactional.networkTimeout(), this);
    } catch (Throwable e) {
      if (committed) {
        LOG.log(Level.ERROR, "callback after the commit of a batch listener failed", e);
        return end();
      }
      members.forEach(TransactionalBatch::rolledBack);
      if (e instanceof NotBegunException && !run.isCancelled()) {
        members.forEach(member -> TransactionalBatches.putOff(member, e));
        return true;
      }
      tellRollback(e);
      return false;
    } finally {
      run.databaseAnswered();
    }
    return end();
  }

  private boolean end() {
    for (int i = 0; i < members.size(); i++) {
      members.get(i).end(results.get(i));
    }
    return true;
  }

  private static void rolledBack(Member member) {
    member.delivery().rolledBack();
    Attempt attempt = member.attempt();
    attempt.transactional().forEach(each -> attempt.ended(each, null));
  }

  private void tellRollback(Throwable e) {
    if (failedCall == null) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      LOG.log(
          Level.INFO,
          "batch rolled back, each of its events runs alone size={0} first={1} cause={2}",
          members.size(),
          members.get(0).delivery(),
          cause.getClass().getName());
    }
  }

  @Override
  public void run(Connection given) throws Exception {
    run.databaseAnswered();
    results.clear();
    failedCall = null;
    for (Member member : members) {
      rolledBack(member); // what an earlier try of the runner wrote
      if (member.delivery().isGivenUp()) {
        throw new RolledBackException(null);
      }
    }
    Connection connection = GuardedConnection.watched(given);
    TransactionWatch watch = requireNonNull(TransactionWatch.of(connection));
    watch.expectProof();
    runListeners(GuardedConnection.of(connection));
    NetworkLimit.on(connection, transactional.networkTimeout());
    run.asksDatabase();
    store(connection);
    watch.prove();
    members.forEach(member -> member.delivery().outcomeWritten());
    run.databaseAnswered();
  }

  private void runListeners(Connection connection) throws Exception {
    for (Member member : members) {
      for (NamedListener each : member.attempt().transactional()) {
        if (!(each.listener() instanceof BatchedListener)) {
          run.nextListener();
          member.attempt().ended(each, member.invocation().call(each.listener(), connection));
        }
      }
    }
    batches.<RolledBackException>forEachCall(
        run, members, member -> member.attempt().transactional(), call -> run(call, connection));
  }

  /** What a listener throws may be the fault of any event; what it defers is that of none. */
  private void run(BatchCall call, Connection connection) throws RolledBackException {
    call.run(connection);
    Throwable thrown = call.thrown();
    BatchCall failures = call.failures();
    if (!failures.parts().isEmpty()) {
      failedCall = thrown == null || thrown instanceof DeferException ? failures : null;
    }
    if (thrown != null || !failures.parts().isEmpty()) {
      throw new RolledBackException(thrown);
    }
    call.parts().forEach(part -> part.ended(call.success(part)));
  }

  /** Writes all outcomes, or throws if one of the rows is not this worker's to change. */
  private void store(Connection connection) throws RolledBackException {
    Map<String, List<String>> done = new LinkedHashMap<>();
    for (Member member : members) {
      Delivery delivery = member.delivery();
      String owner = requireNonNull(delivery.hold().owner());
      Outcome outcome = member.attempt().outcome();
      if (outcome instanceof Outcome.Done) {
        done.computeIfAbsent(owner, none -> new ArrayList<>()).add(delivery.id());
      } else if (transactional.change(connection, owner, delivery.id(), outcome).isEmpty()) {
        throw new RolledBackException(null);
      }
      results.add(Result.stored(outcome, owner));
    }
    for (Map.Entry<String, List<String>> each : done.entrySet()) {
      List<String> ids = each.getValue();
      if (transactional.ack(connection, each.getKey(), ids).size() < ids.size()) {
        throw new RolledBackException(null);
      }
    }
  }

  @Override
  public void committing() {
    run.asksDatabase();
  }

  @Override
  public void ended(boolean success) {
    run.databaseAnswered();
    committed = success;
    for (Member member : members) {
      if (success && member.delivery().stage() == Stage.WRITTEN) {
        member.delivery().committed();
      }
    }
  }

  /** Rolls the transaction of a batch back. */
  private static final class RolledBackException extends Exception {
    private static final long serialVersionUID = 1L;

    RolledBackException(@Nullable Throwable cause) {
      super(cause);
    }
  }
}
