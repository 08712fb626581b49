package outbox.jdbc.model;

import static java.util.stream.Collectors.toCollection;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.model.EventStatus;
import outbox.model.JoinStatus;
import outbox.model.StepStatus;

/** What joins are to do, in as few words as can be. */
final class JoinModel implements JoinBook {
  private Map<String, Message> messages = new TreeMap<>();
  private Map<String, Join> joins = new TreeMap<>();
  private Map<Step, StepStatus> steps = new HashMap<>();
  private final Map<String, Set<String>> waits = new HashMap<>();
  private Instant now = START;

  private record Message(EventStatus status, @Nullable String owner, Instant availableAt) {
    @Override
    public String toString() {
      return messageText(status, owner, availableAt);
    }
  }

  private record Join(
      int expected,
      int completed,
      int failed,
      JoinStatus status,
      Instant updatedAt,
      @Nullable Instant deadline) {

    /** One more step of a pending join has ended; the last one that it expects ends it. */
    Join after(StepStatus end, Instant now) {
      int completedNow = completed + (end == StepStatus.COMPLETED ? 1 : 0);
      int failedNow = failed + (end == StepStatus.FAILED ? 1 : 0);
      JoinStatus last = failedNow > 0 ? JoinStatus.FAILED : JoinStatus.COMPLETED;
      JoinStatus next = completedNow + failedNow == expected ? last : JoinStatus.PENDING;
      return new Join(expected, completedNow, failedNow, next, now, deadline);
    }

    Join ended(JoinStatus end, Instant now) {
      return new Join(expected, completed, failed, end, now, deadline);
    }

    @Override
    public String toString() {
      return joinText(status, completed, failed, expected, updatedAt, deadline);
    }
  }

  private record Step(String join, String message) {}

  static String messageText(EventStatus status, @Nullable String owner, Instant availableAt) {
    return status + (owner == null ? "" : " of " + owner) + " at " + availableAt;
  }

  static String joinText(
      JoinStatus status,
      int completed,
      int failed,
      int expected,
      Instant updatedAt,
      @Nullable Instant deadline) {
    return String.format(
        "%s %d+%d/%d updated %s until %s",
        status, completed, failed, expected, updatedAt, deadline);
  }

  @Override
  public Instant tick(Duration by) {
    now = now.plus(by);
    return now;
  }

  @Override
  public Object enqueue(Collection<String> ids) {
    ids.forEach(id -> messages.put(id, new Message(EventStatus.NEW, null, now)));
    return DONE;
  }

  @Override
  public Object claim(Collection<String> ids) {
    Set<String> free = among(ids, message -> message.owner() == null);
    Instant until = now.plus(StoredJoins.FOR_EVER);
    free.forEach(id -> messages.put(id, new Message(EventStatus.NEW, StoredJoins.ME, until)));
    return free;
  }

  @Override
  public Object ack(Collection<String> ids) {
    return end(ids, EventStatus.DONE);
  }

  @Override
  public Object fail(Collection<String> ids) {
    return end(ids, EventStatus.DEAD);
  }

  /** The end of a message is the end of its pending steps, in all its joins. */
  private Object end(Collection<String> ids, EventStatus end) {
    Set<String> held = among(ids, message -> message.owner() != null);
    for (String id : held) {
      Instant availableAt = Objects.requireNonNull(messages.get(id)).availableAt();
      Instant at = end == EventStatus.DEAD ? now : availableAt;
      messages.put(id, new Message(end, null, at));
    }
    for (String join : joins.keySet()) {
      held.forEach(id -> endStep(join, id, StepStatus.of(end)));
    }
    return held;
  }

  private Set<String> among(Collection<String> ids, Predicate<Message> which) {
    return ids.stream()
        .filter(id -> messages.containsKey(id))
        .filter(id -> Objects.requireNonNull(messages.get(id)).status().isLive())
        .filter(id -> which.test(Objects.requireNonNull(messages.get(id))))
        .collect(toCollection(TreeSet::new));
  }

  @Override
  public Object start(String join, int expectedSteps, int deadlineSeconds) {
    Instant deadline = deadlineSeconds == 0 ? null : now.plusSeconds(deadlineSeconds);
    joins.put(join, new Join(expectedSteps, 0, 0, JoinStatus.PENDING, now, deadline));
    return DONE;
  }

  /** What has ended already counts at once, completed steps first. */
  @Override
  public Object attach(String join, Collection<String> ids, boolean rolledBack) {
    if (!joins.containsKey(join) || !messages.keySet().containsAll(ids)) {
      return REFUSED;
    }
    return undoneIf(
        rolledBack,
        () -> {
          ids.forEach(id -> steps.putIfAbsent(new Step(join, id), StepStatus.PENDING));
          for (EventStatus end : List.of(EventStatus.DONE, EventStatus.DEAD)) {
            for (String id : new TreeSet<>(ids)) {
              if (Objects.requireNonNull(messages.get(id)).status() == end) {
                endStep(join, id, StepStatus.of(end));
              }
            }
          }
          return DONE;
        });
  }

  @Override
  public Object report(String join, String id, boolean completed, boolean rolledBack) {
    if (!steps.containsKey(new Step(join, id))) {
      return REFUSED;
    }
    return undoneIf(
        rolledBack,
        () -> {
          endStep(join, id, completed ? StepStatus.COMPLETED : StepStatus.FAILED);
          return DONE;
        });
  }

  /** The first end of a step is final. It counts unless the join has ended. */
  private void endStep(String join, String id, StepStatus end) {
    Join before = Objects.requireNonNull(joins.get(join));
    if (steps.replace(new Step(join, id), StepStatus.PENDING, end) && !before.status().isFinal()) {
      store(join, before.after(end, now));
    }
  }

  /** A message that waits for a join is due when the join ends, unless it is leased. */
  private void store(String name, Join join) {
    joins.put(name, join);
    if (join.status().isFinal()) {
      for (String id : among(waits.getOrDefault(name, Set.of()), any -> any.owner() == null)) {
        messages.put(id, new Message(EventStatus.NEW, null, now));
      }
    }
  }

  @Override
  public Object await(String join, String id) {
    if (!joins.containsKey(join)) {
      return REFUSED;
    }
    messages.put(id, new Message(EventStatus.NEW, null, now.plus(StoredJoins.PARKED)));
    waits.computeIfAbsent(join, any -> new TreeSet<>()).add(id);
    return DONE;
  }

  @Override
  public Object cancel(String join, boolean rolledBack) {
    Join before = joins.get(join);
    if (before == null) {
      return REFUSED;
    }
    return undoneIf(rolledBack, () -> endJoin(join, before, JoinStatus.CANCELLED));
  }

  private boolean endJoin(String name, Join before, JoinStatus end) {
    if (before.status().isFinal()) {
      return false;
    }
    store(name, before.ended(end, now));
    return true;
  }

  @Override
  public Object failOverdue() {
    Map<String, Join> overdue = new TreeMap<>(joins);
    overdue
        .values()
        .removeIf(
            join ->
                join.status().isFinal() || join.deadline() == null || join.deadline().isAfter(now));
    overdue.forEach((name, join) -> endJoin(name, join, JoinStatus.FAILED));
    return overdue.size();
  }

  @Override
  public Object purge(Duration retention) {
    Set<String> old = new TreeSet<>();
    joins.forEach(
        (name, join) -> {
          boolean awaited = !among(waits.getOrDefault(name, Set.of()), any -> true).isEmpty();
          boolean late = !join.updatedAt().isAfter(now.minus(retention));
          if (join.status().isFinal() && late && !awaited) {
            old.add(name);
          }
        });
    joins.keySet().removeAll(old);
    waits.keySet().removeAll(old);
    steps.keySet().removeIf(step -> old.contains(step.join()));
    return old.size();
  }

  private Object undoneIf(boolean rolledBack, Supplier<Object> change) {
    Map<String, Message> messagesBefore = new TreeMap<>(messages);
    Map<String, Join> joinsBefore = new TreeMap<>(joins);
    Map<Step, StepStatus> stepsBefore = new HashMap<>(steps);
    Object result = change.get();
    if (rolledBack) {
      messages = messagesBefore;
      joins = joinsBefore;
      steps = stepsBefore;
    }
    return result;
  }

  @Override
  public Map<String, String> rows() {
    Map<String, String> rows = new TreeMap<>();
    messages.forEach((id, message) -> rows.put("message " + id, message.toString()));
    joins.forEach((name, join) -> rows.put("join " + name, join.toString()));
    steps.forEach(
        (step, status) ->
            rows.put("step " + step.join() + " " + step.message(), status.toString()));
    return rows;
  }
}
