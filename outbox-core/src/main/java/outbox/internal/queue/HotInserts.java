package outbox.internal.queue;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.guard.QuietMetrics;
import outbox.spi.EventStore;
import outbox.spi.HotPath;
import outbox.spi.HotPath.Prepared;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.MetricsExporter;
import outbox.spi.OrderedEvents.Placement;
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

  /** Stores events, all or none; those with an ordering key in the order of their keys. */
  public Stored insertAll(Connection connection, List<Prepared> queued) {
    if (queued.size() == 1) {
      Map<String, String> existing = new HashMap<>();
      Prepared only = insert(connection, queued.get(0), existing);
      return new Stored(existing, only == null ? List.of() : List.of(only));
    }
    if (!(eventStore instanceof LeasedEventStore leased)) {
      queued.forEach(event -> insert(connection, event, new HashMap<>()));
      return new Stored(Map.of(), queued);
    }
    List<Prepared> free = queued.stream().filter(event -> !isOrdered(event)).toList();
    if (free.size() == queued.size()) {
      return insertFree(leased, connection, free);
    }
    return leased.inTransaction(
        connection,
        () -> {
          Stored stored = insertFree(leased, connection, free);
          Map<String, String> existing = new HashMap<>(stored.existing);
          List<Prepared> inserted = new ArrayList<>(stored.inserted);
          for (Prepared event : queued) {
            Prepared placed = isOrdered(event) ? insert(connection, event, existing) : null;
            if (placed != null) {
              inserted.add(placed);
            }
          }
          return new Stored(existing, inserted);
        });
  }

  private static boolean isOrdered(Prepared event) {
    return event.envelope().orderingKey() != null;
  }

  /** Stores one event; returns it as it is placed, null if another has its idempotency key. */
  private @Nullable Prepared insert(
      Connection connection, Prepared queued, Map<String, String> existing) {
    EventEnvelope event = queued.envelope();
    if (event.orderingKey() != null) {
      Placement placement = Ordering.of(eventStore).insert(connection, event, queued.lease());
      if (placement.existing() != null) {
        existing.put(event.eventId(), placement.existing());
        return null;
      }
      return placement.waits() ? path.behind(queued) : queued;
    }
    if (!(eventStore instanceof LeasedEventStore leased)) {
      eventStore.insertNew(connection, event);
      return queued;
    }
    Optional<String> first = leased.insert(connection, event, queued.lease());
    first.ifPresent(id -> existing.put(event.eventId(), id));
    return first.isPresent() ? null : queued;
  }

  /** Stores events without an ordering key. */
  private Stored insertFree(LeasedEventStore leased, Connection connection, List<Prepared> queued) {
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
      Runnable oneByOne = () -> queued.forEach(event -> insert(connection, event, existing));
      leased.inTransaction(
          connection,
          () -> {
            (keyed ? oneByOne : byGroup).run();
            return existing;
          });
    }
    return new Stored(existing, without(existing, queued));
  }

  private static List<Prepared> without(Map<String, String> existing, List<Prepared> queued) {
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

  /**
   * What became of events.
   *
   * @param existing by the ids of those that were left out, the ids of the first ones with their
   *     idempotency keys
   * @param inserted the others, to be handed over after the commit
   */
  public record Stored(Map<String, String> existing, List<Prepared> inserted) {}
}
