package outbox.testing.memory;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore.ClaimedEvent;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.OrderedEvents;

/** The order of events by key, with the locks and the visibility of the stores on databases. */
final class InMemoryOrder implements OrderedEvents {
  private final InMemoryTable table;
  private final Rows rows;
  private final InMemoryLeases leases;
  private final Expiry expiry;

  /** Ends events under the lease just taken. */
  @FunctionalInterface
  interface Expiry {
    Consumer<List<String>> by(Connection conn, String owner);
  }

  InMemoryOrder(InMemoryTable table, InMemoryLeases leases, Expiry expiry) {
    this.table = table;
    this.rows = table.rows();
    this.leases = leases;
    this.expiry = expiry;
  }

  @Override
  public Placement insert(Connection conn, EventEnvelope event, @Nullable Lease lease) {
    Session session = table.session(conn);
    return session.inTransaction(() -> insert(session, event, lease));
  }

  private Placement insert(Session session, EventEnvelope event, @Nullable Lease lease) {
    Optional<String> existing =
        table.insert(session, StoredEvent.inserted(event, lease, table.now()));
    if (existing.isPresent()) {
      return new Placement(existing.get(), false);
    }
    String key = requireNonNull(event.orderingKey());
    return session.execute(
        () -> {
          if (table.places().take(session, key, event.eventId())) {
            return Placement.FIRST;
          }
          Rows.Row row = requireNonNull(rows.find(event.eventId()));
          StoredEvent waiting = StoredEvent.inserted(event, null, table.now()).waiting();
          session.write(row, waiting);
          return Placement.BEHIND;
        });
  }

  @Override
  public Advance advance(Connection conn, @Nullable Lease lease, Collection<String> keys) {
    Session session = table.session(conn);
    return session.inTransaction(
        () -> {
          List<ClaimedEvent> events = new ArrayList<>();
          Set<String> followed = new HashSet<>();
          Set<Instant> dueTimes = new TreeSet<>();
          session.execute(
              () -> {
                for (String key : new TreeSet<>(keys)) {
                  advance(session, lease, key, events, followed, dueTimes);
                }
                return 0;
              });
          if (lease == null) {
            return new Advance(List.of(), List.of(), followed, dueTimes);
          }
          List<OutboxEvent> ended = leases.endExpired(events, expiry.by(conn, lease.owner()));
          events.removeIf(each -> ended.contains(each.event()));
          return new Advance(events, ended, followed, dueTimes);
        });
  }

  private void advance(
      Session session,
      @Nullable Lease lease,
      String key,
      List<ClaimedEvent> events,
      Set<String> followed,
      Set<Instant> dueTimes)
      throws SQLException {
    InMemoryPlaces places = table.places();
    Rows.Row first = places.first(session, key);
    if (first == null) {
      places.idle(session, key, table.now());
      return;
    }
    StoredEvent state = requireNonNull(first.seenBy(session));
    if (state.status() != EventStatus.WAITING || !first.accessibleTo(session)) {
      return;
    }
    Instant now = table.now();
    Instant due = state.event().dueAt();
    boolean isDue = due == null || !due.isAfter(now);
    session.write(first, state.started(now));
    if (!isDue) {
      dueTimes.add(due);
    } else if (lease != null) {
      events.add(leases.lease(session, first, lease.owner(), lease.duration()));
      if (places.isFollowed(session, key, first.id)) {
        followed.add(first.id);
      }
    }
  }

  @Override
  public List<HeldKey> held(Connection conn, Collection<String> keys) {
    Session session = table.session(conn);
    return session.execute(
        () -> {
          List<HeldKey> held = new ArrayList<>();
          for (String key : new TreeSet<>(keys)) {
            Rows.Row first = table.places().first(session, key);
            StoredEvent state = first == null ? null : first.seenBy(session);
            if (state != null && state.status() == EventStatus.DEAD) {
              OutboxEvent event = state.event();
              held.add(
                  new HeldKey(
                      key,
                      event.eventId(),
                      event.eventType(),
                      state.availableAt(),
                      state.lastError()));
            }
          }
          return held;
        });
  }

  @Override
  public Set<String> release(Connection conn, Collection<String> eventIds) {
    Session session = table.session(conn);
    return session.execute(
        () -> {
          Set<String> keys = new LinkedHashSet<>();
          for (StoredEvent row : ordered(session, eventIds)) {
            String key = requireNonNull(row.event().orderingKey());
            if (row.status() == EventStatus.DEAD) {
              table.places().leave(session, key, row.event().eventId());
              keys.add(key);
            }
          }
          return keys;
        });
  }

  @Override
  public Set<String> keysOf(Connection conn, Collection<String> eventIds) {
    Session session = table.session(conn);
    return session.execute(
        () -> {
          Set<String> keys = new LinkedHashSet<>();
          ordered(session, eventIds)
              .forEach(row -> keys.add(requireNonNull(row.event().orderingKey())));
          return keys;
        });
  }

  /** Those of the events that have a key. */
  private List<StoredEvent> ordered(Session session, Collection<String> eventIds) {
    List<StoredEvent> found = new ArrayList<>();
    for (String id : eventIds) {
      Rows.Row row = rows.find(id);
      StoredEvent state = row == null ? null : row.seenBy(session);
      if (state != null && state.event().orderingKey() != null) {
        found.add(state);
      }
    }
    return found;
  }

  @Override
  public Sweep sweep(Connection conn, @Nullable String after, int limit, Duration idleFor) {
    Session session = table.session(conn);
    Instant before = table.now().minus(idleFor);
    return session.execute(() -> table.places().sweep(session, after, limit, before));
  }
}
