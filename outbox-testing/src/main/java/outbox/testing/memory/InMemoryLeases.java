package outbox.testing.memory;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.Claimed;
import outbox.spi.LeasedEventStore.ClaimedEvent;
import outbox.spi.LeasedEventStore.Failure;
import outbox.spi.LeasedEventStore.RowState;

/** Claims and fenced transitions on the table. */
final class InMemoryLeases {
  private final InMemoryTable table;
  private final Rows rows;
  private final boolean deleteWhenDone;

  InMemoryLeases(InMemoryTable table, boolean deleteWhenDone) {
    this.table = table;
    this.rows = table.rows();
    this.deleteWhenDone = deleteWhenDone;
  }

  boolean anyDue(Session session) {
    return session.execute(
        () -> rows.live().stream().anyMatch(row -> !row.indexedAt().isAfter(now())));
  }

  /**
   * Takes due rows.
   *
   * @param expire ends the rows of this list, in the same transaction
   */
  Claimed claim(Session session, ClaimRequest request, Consumer<List<String>> expire) {
    return session.inTransaction(
        () -> {
          Claimed taken = claim(session, request);
          Map<Boolean, List<ClaimedEvent>> byExpiry = byExpiry(taken.events(), expire);
          List<OutboxEvent> ended =
              requireNonNull(byExpiry.get(true)).stream().map(ClaimedEvent::event).toList();
          return new Claimed(requireNonNull(byExpiry.get(false)), taken.watermark(), ended);
        });
  }

  private Claimed claim(Session session, ClaimRequest request) {
    return session.execute(
        () -> {
          List<Rows.Row> found = new ClaimScan(request, now()).choose(rows.live(), session);
          List<ClaimedEvent> claimed = new ArrayList<>(found.size());
          Instant watermark = null;
          for (Rows.Row row : found) {
            watermark = state(row, session).availableAt();
            claimed.add(lease(session, row, request.owner(), request.lease()));
          }
          return new Claimed(claimed, watermark, List.of());
        });
  }

  List<ClaimedEvent> claimById(
      Session session,
      String owner,
      Duration lease,
      Collection<String> eventIds,
      Consumer<List<String>> expire) {
    return session.inTransaction(
        () -> {
          List<ClaimedEvent> taken = claimById(session, owner, lease, eventIds);
          return requireNonNull(byExpiry(taken, expire).get(false));
        });
  }

  private List<ClaimedEvent> claimById(
      Session session, String owner, Duration lease, Collection<String> eventIds) {
    return session.execute(
        () -> {
          Instant now = now();
          List<ClaimedEvent> claimed = new ArrayList<>();
          for (String id : new LinkedHashSet<>(eventIds)) {
            Rows.Row row = rows.find(id);
            if (row != null && row.accessibleTo(session) && free(row.seenBy(session), now)) {
              claimed.add(lease(session, row, owner, lease));
            }
          }
          return claimed;
        });
  }

  /** Ends those past their expiry, and returns them. */
  List<OutboxEvent> endExpired(List<ClaimedEvent> taken, Consumer<List<String>> expire) {
    return requireNonNull(byExpiry(taken, expire).get(true)).stream()
        .map(ClaimedEvent::event)
        .toList();
  }

  /** Ends those past their expiry. */
  private Map<Boolean, List<ClaimedEvent>> byExpiry(
      List<ClaimedEvent> taken, Consumer<List<String>> expire) {
    Map<Boolean, List<ClaimedEvent>> byExpiry =
        taken.stream().collect(Collectors.partitioningBy(this::isExpired));
    List<String> expired =
        requireNonNull(byExpiry.get(true)).stream().map(each -> each.event().eventId()).toList();
    if (!expired.isEmpty()) {
      expire.accept(expired);
    }
    return byExpiry;
  }

  private boolean isExpired(ClaimedEvent claimed) {
    Instant expiresAt = claimed.event().expiresAt();
    return expiresAt != null && !expiresAt.isAfter(now());
  }

  /** A transition with a delay and an error for each row; the last of a row's failures holds. */
  Set<String> transitionEach(
      Session session, String owner, Collection<Failure> failures, FailedTransition next) {
    Map<String, Failure> byId = new LinkedHashMap<>();
    failures.forEach(failure -> byId.put(failure.eventId(), failure));
    return transition(
        session,
        owner,
        byId.keySet(),
        (row, now) -> next.of(row, requireNonNull(byId.get(row.event().eventId())), now));
  }

  Set<String> transition(
      Session session,
      String owner,
      Collection<String> ids,
      BiFunction<StoredEvent, Instant, StoredEvent> next) {
    return session.execute(
        () -> {
          Instant now = now();
          Set<String> changed = new LinkedHashSet<>();
          for (String id : new LinkedHashSet<>(ids)) {
            Rows.Row row = rows.find(id);
            StoredEvent state =
                row != null && row.accessibleTo(session) ? row.seenBy(session) : null;
            if (row != null && state != null && state.ownedBy(owner)) {
              write(session, row, next.apply(state, now));
              changed.add(id);
            }
          }
          return changed;
        });
  }

  int reap(Session session, Duration grace, int limit, int window) {
    return session.execute(
        () -> {
          Instant before = now().minus(grace);
          List<Rows.Row> expired =
              rows.live().stream()
                  .takeWhile(row -> row.indexedAt().isBefore(before))
                  .limit(window)
                  .filter(row -> row.accessibleTo(session) && state(row, session).owner() != null)
                  .limit(limit)
                  .toList();
          expired.forEach(row -> session.write(row, state(row, session).reaped()));
          return expired.size();
        });
  }

  void write(Session session, Rows.Row row, StoredEvent state) {
    boolean delete =
        deleteWhenDone
            && state.status() == EventStatus.DONE
            && !InMemoryKeys.isGiven(state.event());
    session.write(row, delete ? null : state);
  }

  Map<String, RowState> inspect(Session session, Collection<String> eventIds) {
    return session.execute(
        () -> {
          Map<String, RowState> found = new LinkedHashMap<>();
          for (String id : eventIds) {
            Rows.Row row = rows.find(id);
            StoredEvent state = row == null ? null : row.seenBy(session);
            if (state != null) {
              found.put(
                  id,
                  new RowState(
                      state.status(),
                      state.owner(),
                      state.processedBy(),
                      state.event().attempts()));
            }
          }
          return found;
        });
  }

  private Instant now() {
    return table.now();
  }

  ClaimedEvent lease(Session session, Rows.Row row, String owner, Duration lease) {
    StoredEvent claimed = state(row, session).claimed(owner, now().plus(lease));
    session.write(row, claimed);
    return new ClaimedEvent(
        claimed.event(),
        claimed.suspect(),
        claimed.leaseExpiries(),
        claimed.lastError(),
        claimed.listeners(),
        claimed.availableAt(),
        table.kind().contentVersion(claimed));
  }

  private static boolean free(@Nullable StoredEvent row, Instant now) {
    return row != null
        && row.status().isClaimable()
        && (row.owner() == null || !row.availableAt().isAfter(now));
  }

  private static StoredEvent state(Rows.Row row, Session session) {
    return requireNonNull(row.seenBy(session));
  }

  /** What becomes of a row by a failure. */
  @FunctionalInterface
  interface FailedTransition {
    StoredEvent of(StoredEvent row, Failure failure, Instant now);
  }
}
