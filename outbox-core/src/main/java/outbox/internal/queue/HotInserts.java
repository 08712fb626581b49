package outbox.internal.queue;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import java.sql.Connection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import outbox.EventEnvelope;
import outbox.internal.guard.QuietMetrics;
import outbox.spi.EventStore;
import outbox.spi.HotPath;
import outbox.spi.HotPath.Prepared;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.MetricsExporter;
import outbox.spi.TxContext;

/**
 * Stores events with the leases that the hot path gives them, and hands them over once they are
 * committed. Thread-safe.
 */
public final class HotInserts {
  private final EventStore eventStore;
  private final HotPath path;
  private final MetricsExporter metrics;

  public HotInserts(EventStore eventStore, HotPath path, MetricsExporter metrics) {
    this.eventStore = eventStore;
    this.path = path;
    this.metrics = QuietMetrics.of(metrics);
  }

  public HotPath path() {
    return path;
  }

  /** Returns the id of the first event with its key, if there is one. */
  public Optional<String> insert(Connection connection, Prepared queued) {
    if (eventStore instanceof LeasedEventStore leased) {
      return leased.insert(connection, queued.envelope(), queued.lease());
    }
    eventStore.insertNew(connection, queued.envelope());
    return Optional.empty();
  }

  /** Returns, by the ids of those that were left out, the ids of the first ones with their keys. */
  public Map<String, String> insertAll(Connection connection, List<Prepared> queued) {
    if (queued.size() == 1) {
      Prepared only = queued.get(0);
      return insert(connection, only)
          .map(first -> Map.of(only.envelope().eventId(), first))
          .orElse(Map.of());
    }
    if (!(eventStore instanceof LeasedEventStore leased)) {
      queued.forEach(event -> eventStore.insertNew(connection, event.envelope()));
      return Map.of();
    }
    Map<Optional<Lease>, List<EventEnvelope>> byLease =
        queued.stream()
            .collect(
                groupingBy(
                    event -> Optional.ofNullable(event.lease()),
                    mapping(Prepared::envelope, toList())));
    Map<String, String> existing = new HashMap<>();
    Runnable byGroup =
        () ->
            byLease.forEach(
                (lease, events) ->
                    existing.putAll(leased.insertAll(connection, events, lease.orElse(null))));
    if (byLease.size() < 2) {
      byGroup.run();
    } else {
      // Keys of several groups are locked in their order only one by one.
      boolean keyed = queued.stream().anyMatch(event -> event.envelope().hasIdempotencyKey());
      Runnable oneByOne =
          () ->
              queued.forEach(
                  event ->
                      insert(connection, event)
                          .ifPresent(first -> existing.put(event.envelope().eventId(), first)));
      leased.inTransaction(
          connection,
          () -> {
            (keyed ? oneByOne : byGroup).run();
            return existing;
          });
    }
    return existing;
  }

  /** Those that were not left out. */
  public static List<Prepared> without(Map<String, String> existing, List<Prepared> queued) {
    return existing.isEmpty()
        ? queued
        : queued.stream()
            .filter(event -> !existing.containsKey(event.envelope().eventId()))
            .toList();
  }

  public void handOverAfterCommit(TxContext txContext, List<Prepared> queued) {
    if (queued.isEmpty()) {
      return;
    }
    BooleanSupplier doubt = txContext.commitDoubt();
    txContext.afterCommit(
        () -> {
          boolean inDoubt = doubt.getAsBoolean();
          queued.forEach(event -> handOver(event, inDoubt));
        });
  }

  void handOver(Prepared queued, boolean inDoubt) {
    path.handOver(queued, inDoubt, metrics);
  }
}
