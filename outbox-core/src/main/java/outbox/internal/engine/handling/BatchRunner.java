package outbox.internal.engine.handling;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.internal.batch.BatchedListener;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Run;
import outbox.internal.engine.handling.BatchCall.Part;
import outbox.registry.NamedListener;

/**
 * Runs the listeners of deliveries that were gathered: those of single events for one delivery
 * after the other, batch listeners for all together, and then the transactional ones. Each delivery
 * gets its own outcome. Thread-safe; called by many workers.
 */
public final class BatchRunner {
  private final DeliveryRunner runner;
  private final TransactionalBatches transactional;
  private final Predicate<List<Delivery>> leaseRenewal;

  public BatchRunner(DeliveryRunner runner, Predicate<List<Delivery>> leaseRenewal) {
    this.runner = runner;
    this.transactional = new TransactionalBatches(runner, this);
    this.leaseRenewal = leaseRenewal;
  }

  /** Runs the listeners; each delivery has its result afterwards. */
  List<Member> run(Run run, List<Delivery> deliveries) {
    List<Member> members = deliveries.stream().map(runner::member).toList();
    List<Member> open = members.stream().filter(member -> !member.hasEnded()).toList();
    for (Member member : open) {
      for (NamedListener each : member.attempt().plain()) {
        if (!(each.listener() instanceof BatchedListener)) {
          run.nextListener();
          runner.runPlain(member, each);
        }
      }
    }
    forEachCall(
        run,
        open,
        member -> member.attempt().plain(),
        call -> {
          call.run(null);
          judge(call);
        });
    transactional.run(run, open);
    open.forEach(member -> member.end(runner.concluded(member)));
    return members;
  }

  /** Says of each delivery what became of the listener; the same error is logged once. */
  void judge(BatchCall call) {
    Set<Throwable> told = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Part part : call.parts()) {
      Throwable failure = call.failure(part);
      if (failure == null) {
        part.ended(call.success(part));
      } else {
        judge(part, failure, !told.add(failure));
      }
    }
    Throwable thrown = call.thrown();
    if (thrown != null && told.add(thrown)) {
      runner.failures().log("after it had recorded an outcome for each event of a batch", thrown);
    }
  }

  private void judge(Part part, Throwable failure, boolean quiet) {
    part.ended(
        runner
            .failures()
            .outcomeOf(part.delivery(), part.member().attempt(), part.named(), failure, quiet));
  }

  /**
   * Makes the calls of all batch listeners that are to run, in their order, with those deliveries
   * that are not cancelled.
   */
  <E extends Exception> void forEachCall(
      Run run,
      List<Member> members,
      Function<Member, List<NamedListener>> toRun,
      CallAction<E> action)
      throws E {
    for (Group group : groups(members, toRun)) {
      int size = group.listener.batches().size();
      for (int i = 0; i < group.parts.size(); i += size) {
        List<Part> some =
            group.parts.subList(i, Math.min(group.parts.size(), i + size)).stream()
                .filter(part -> part.delivery().mayRunNext())
                .toList();
        if (!some.isEmpty()) {
          run.nextListener();
          action.take(new BatchCall(group.listener, some, context(run, some)));
        }
      }
    }
  }

  /** What is done with a call. */
  @FunctionalInterface
  interface CallAction<E extends Exception> {
    void take(BatchCall call) throws E;
  }

  private WholeBatch context(Run run, List<Part> parts) {
    return new WholeBatch(run, parts.stream().map(Part::delivery).toList(), leaseRenewal);
  }

  /** A batch listener, and the deliveries for which it is to run. */
  private record Group(BatchedListener listener, List<Part> parts) {}

  private static List<Group> groups(
      List<Member> members, Function<Member, List<NamedListener>> toRun) {
    List<Group> groups = new ArrayList<>();
    for (Member member : members) {
      for (NamedListener each : toRun.apply(member)) {
        if (each.listener() instanceof BatchedListener batched) {
          groupOf(batched, groups).parts.add(new Part(member, each));
        }
      }
    }
    return groups;
  }

  /** By identity: topics may know one listener by several names. */
  private static Group groupOf(BatchedListener listener, List<Group> groups) {
    @Nullable Group found = null;
    for (Group each : groups) {
      found = each.listener == listener ? each : found;
    }
    if (found == null) {
      found = new Group(listener, new ArrayList<>());
      groups.add(found);
    }
    return found;
  }
}
