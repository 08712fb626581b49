package outbox.internal.engine.handling;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.internal.batch.BatchedListener;
import outbox.internal.engine.delivery.Run;
import outbox.internal.engine.handling.BatchCall.Part;
import outbox.internal.engine.handling.DeliveryRunner.Result;
import outbox.registry.NamedListener;

/**
 * Runs the transactional listeners of a batch: their writes and the outcomes of all its events
 * commit together. Events that a listener says have failed roll all of it back, and the others run
 * again without them. After anything else that rolls back, each event runs alone, in a transaction
 * of its own. Thread-safe; called by many workers.
 */
final class TransactionalBatches {
  private static final int MAX_TRIES = 3;

  private final DeliveryRunner runner;
  private final BatchRunner batches;

  TransactionalBatches(DeliveryRunner runner, BatchRunner batches) {
    this.runner = runner;
    this.batches = batches;
  }

  /** Each delivery has its result afterwards. */
  void run(Run run, List<Member> members) {
    List<Member> rest = new ArrayList<>();
    for (Member member : members) {
      List<NamedListener> listeners = member.attempt().transactional();
      if (listeners.isEmpty()) {
        member.end(Result.of(member.attempt().outcome()));
      } else if (hasBatched(listeners)) {
        rest.add(member);
      } else {
        alone(run, List.of(member));
      }
    }
    for (int tries = 0; tries < MAX_TRIES && rest.size() > 1; tries++) {
      TransactionalBatch turn = new TransactionalBatch(run, rest, runner, batches);
      if (turn.hasEnded()) {
        return;
      }
      List<Part> failed = turn.failed();
      if (failed.isEmpty()) {
        break;
      }
      failed.forEach(part -> rest.remove(part.member()));
      batches.judge(turn.failedCall());
      failed.forEach(part -> runOthers(run, part));
    }
    alone(run, rest);
  }

  private static boolean hasBatched(List<NamedListener> listeners) {
    return listeners.stream().anyMatch(each -> each.listener() instanceof BatchedListener);
  }

  /** The other transactional listeners of an event for which one has failed. */
  private void runOthers(Run run, Part part) {
    Member member = part.member();
    List<NamedListener> others = new ArrayList<>(member.attempt().transactional());
    others.remove(part.named());
    if (others.isEmpty()) {
      member.end(Result.of(member.attempt().outcome()));
    } else {
      run.nextListener();
      runner.runTransactional(member, others);
    }
  }

  /** As soon as there is no transaction to be had, the rest is put off. */
  private void alone(Run run, List<Member> members) {
    @Nullable Throwable outage = null;
    for (Member member : members) {
      List<NamedListener> listeners = member.attempt().transactional();
      if (outage == null) {
        run.nextListener();
        runner.runTransactional(member, listeners);
        outage = member.result().outage();
      } else {
        putOff(member, outage);
      }
    }
  }

  static void putOff(Member member, Throwable outage) {
    Attempt attempt = member.attempt();
    attempt.transactional().forEach(each -> attempt.ended(each, TransactionalListeners.PUT_OFF));
    member.end(Result.missed(attempt.outcome(), outage));
  }
}
