package outbox.internal.queue;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.RetryPolicy;
import outbox.internal.util.Pause;
import outbox.model.OwnerToken;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.Failure;
import outbox.spi.LeasedEventStore.RowState;

/** The fenced transitions of the queue, each one transaction of the store. */
final class QueueTransitions {
  private static final int MAX_TRIES = 20;
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);

  /** In shortest ones. */
  private static final int LONGEST_PAUSE = 5;

  private final ConnectionProvider connections;
  private final LeasedEventStore store;
  private final RetryPolicy backoff;
  private final int maxAttempts;
  private final Consumer<Duration> onRetry;
  private final QueueLog log;

  /**
   * Transitions of one queue.
   *
   * @param onRetry told of the delay of each message that is to be tried again
   */
  QueueTransitions(
      ConnectionProvider connections,
      LeasedEventStore store,
      RetryPolicy backoff,
      int maxAttempts,
      Consumer<Duration> onRetry,
      QueueLog log) {
    this.connections = connections;
    this.store = store;
    this.backoff = backoff;
    this.maxAttempts = maxAttempts;
    this.onRetry = onRetry;
    this.log = log;
  }

  /**
   * Applies the change; returns the ids that it changed. The store skips a row that a competing
   * claim has locked for a moment: what it left out is tried again, and from then on for as long as
   * it is the owner's.
   */
  Set<String> apply(OwnerToken owner, Set<String> ids, Change change) {
    Set<String> changed = changed(ids, change);
    if (changed.size() == ids.size()) {
      return changed;
    }
    Set<String> all = new LinkedHashSet<>(changed);
    Set<String> rest = without(ids, changed);
    for (int tries = 1; !rest.isEmpty() && tries < MAX_TRIES; tries++) {
      Pause.of(SHORTEST_PAUSE.multipliedBy(Math.min(tries, LONGEST_PAUSE)));
      Set<String> more = changed(rest, change);
      all.addAll(more);
      rest = held(owner, without(rest, more));
    }
    return all;
  }

  private Set<String> changed(Set<String> ids, Change change) {
    return ids.isEmpty()
        ? Set.of()
        : connections.inAutoCommit(connection -> change.to(connection, ids));
  }

  private static Set<String> without(Set<String> ids, Set<String> changed) {
    Set<String> rest = new HashSet<>(ids);
    rest.removeAll(changed);
    return rest;
  }

  /** After the policy's delay, which is each row's own; one that has had its last attempt ends. */
  Set<String> abandon(OwnerToken owner, Set<String> ids, @Nullable String error) {
    Set<Duration> delays = new HashSet<>();
    Map<String, Integer> deliveries = new HashMap<>();
    Set<String> changed =
        apply(
            owner,
            ids,
            (connection, rest) ->
                store.inTransaction(
                    connection,
                    () -> retryOrEnd(connection, owner, rest, error, delays, deliveries)));
    delays.forEach(onRetry);
    deliveries.forEach(
        (id, count) -> {
          if (changed.contains(id)) {
            log.ended(id, "gave up after " + count + " attempts");
          }
        });
    return changed;
  }

  private Set<String> retryOrEnd(
      Connection connection,
      OwnerToken owner,
      Collection<String> ids,
      @Nullable String error,
      Set<Duration> delays,
      Map<String, Integer> lastDeliveries) {
    List<Failure> retries = new ArrayList<>();
    List<Failure> ends = new ArrayList<>();
    store
        .inspect(connection, ids)
        .forEach(
            (id, row) -> {
              int deliveries = row.attempts() + 1;
              if (deliveries >= maxAttempts) {
                String reason = error == null ? "failed " + deliveries + " times" : error;
                ends.add(new Failure(id, Duration.ZERO, reason));
                lastDeliveries.put(id, deliveries);
              } else {
                Duration delay = Duration.ofMillis(backoff.computeDelayMs(deliveries));
                retries.add(new Failure(id, delay, error));
                delays.add(delay);
              }
            });
    Set<String> changed = new HashSet<>(store.abandon(connection, owner.value(), retries));
    changed.addAll(store.fail(connection, owner.value(), ends));
    return changed;
  }

  private Set<String> held(OwnerToken owner, Set<String> ids) {
    if (ids.isEmpty()) {
      return ids;
    }
    Map<String, RowState> rows =
        connections.inAutoCommit(connection -> store.inspect(connection, ids));
    Set<String> held = new HashSet<>();
    rows.forEach(
        (id, row) -> {
          if (row.status().isLive() && owner.value().equals(row.owner())) {
            held.add(id);
          }
        });
    return held;
  }

  /** One call of the store; returns the ids that it changed. */
  @FunctionalInterface
  interface Change {
    Set<String> to(Connection connection, Collection<String> ids);
  }
}
