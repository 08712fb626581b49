package outbox.testing;

import static java.util.Objects.requireNonNull;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import outbox.model.EventStatus;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.Claimed;
import outbox.spi.LeasedEventStore.ClaimedEvent;

/** Claims and fenced transitions on the table; each method is one statement of a session. */
final class InMemoryLeases {
  private final Rows rows;
  private final Clock clock;
  private final boolean deleteWhenDone;
  private final InMemoryEnded.Kind kind;

  InMemoryLeases(Rows rows, Clock clock, boolean deleteWhenDone, InMemoryEnded.Kind kind) {
    this.rows = rows;
    this.clock = clock;
    this.deleteWhenDone = deleteWhenDone;
    this.kind = kind;
  }

  boolean anyDue(Session session) {
    return session.execute(
        () -> rows.live().stream().anyMatch(row -> !row.indexedAt().isAfter(now())));
  }

  Claimed claim(Session session, ClaimRequest request) {
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

  Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MICROS);
  }

  private ClaimedEvent lease(Session session, Rows.Row row, String owner, Duration lease) {
    StoredEvent claimed = state(row, session).claimed(owner, now().plus(lease));
    session.write(row, claimed);
    return new ClaimedEvent(
        claimed.event(),
        claimed.suspect(),
        claimed.leaseExpiries(),
        claimed.lastError(),
        claimed.availableAt(),
        kind.contentVersion(claimed));
  }

  boolean isExpired(ClaimedEvent claimed) {
    Instant expiresAt = claimed.event().expiresAt();
    return expiresAt != null && !expiresAt.isAfter(now());
  }

  private static boolean free(@Nullable StoredEvent row, Instant now) {
    return row != null
        && row.status().isLive()
        && (row.owner() == null || !row.availableAt().isAfter(now));
  }

  private static StoredEvent state(Rows.Row row, Session session) {
    return requireNonNull(row.seenBy(session));
  }
}
