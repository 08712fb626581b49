package outbox.testing.memory;

import static java.util.Comparator.comparing;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;

/** The rows as a store without leases sees them: marked by id, leased or not. */
final class InMemoryUnfenced {
  private final Rows rows;
  private final InMemoryLeases leases;

  InMemoryUnfenced(Rows rows, InMemoryLeases leases) {
    this.rows = rows;
    this.leases = leases;
  }

  /** Waits for the lock of the row, and changes it unless it is done; returns its id. */
  Set<String> mark(Session session, String eventId, UnaryOperator<StoredEvent> transition) {
    return session.execute(
        () -> {
          Rows.Row row = rows.find(eventId);
          if (row == null) {
            return Set.of();
          }
          rows.awaitRelease(row, session);
          StoredEvent state = row.seenBy(session);
          if (state == null || state.status() == EventStatus.DONE) {
            return Set.of();
          }
          leases.write(session, row, transition.apply(state));
          return Set.of(eventId);
        });
  }

  List<OutboxEvent> pending(Session session, Instant now, Duration skipRecent, int limit) {
    Instant latest = now.minus(skipRecent);
    return session.execute(
        () ->
            rows.all().stream()
                .flatMap(row -> Stream.ofNullable(row.seenBy(session)))
                .filter(row -> row.status().isClaimable() && !row.availableAt().isAfter(now))
                .map(StoredEvent::event)
                .filter(event -> !event.createdAt().isAfter(latest))
                .sorted(comparing(OutboxEvent::createdAt).thenComparing(OutboxEvent::eventId))
                .limit(limit)
                .toList());
  }
}
