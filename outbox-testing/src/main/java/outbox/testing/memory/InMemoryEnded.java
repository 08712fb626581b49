package outbox.testing.memory;

import static java.util.Comparator.comparing;

import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.model.DeadCount;
import outbox.model.DeadLetter;
import outbox.model.DeadLetter.Position;
import outbox.model.DeadLetterFilter;

/** The rows that have ended: what is dead, and what is old. Each method is one statement. */
final class InMemoryEnded {
  private static final Comparator<DeadLetter> NEWEST_FIRST =
      comparing(DeadLetter::createdAt).thenComparing(letter -> letter.event().eventId()).reversed();

  private final Rows rows;
  private final RowKind kind;

  InMemoryEnded(InMemoryTable table) {
    this.rows = table.rows();
    this.kind = table.kind();
  }

  List<DeadLetter> list(
      Session session, DeadLetterFilter filter, @Nullable Position after, int limit) {
    return session.execute(
        () ->
            dead(session)
                .filter(letter -> after == null || isBehind(letter.position(), after))
                .filter(letter -> matches(letter, filter))
                .limit(limit)
                .toList());
  }

  private static boolean isBehind(Position position, Position after) {
    int byTime = position.createdAt().compareTo(after.createdAt());
    return byTime < 0 || (byTime == 0 && position.eventId().compareTo(after.eventId()) < 0);
  }

  DeadCount count(Session session, DeadLetterFilter filter, int window) {
    return session.execute(
        () -> {
          List<DeadLetter> looked = dead(session).limit(window).toList();
          long found = looked.stream().filter(letter -> matches(letter, filter)).count();
          return new DeadCount((int) found, looked.size() < window);
        });
  }

  Optional<DeadLetter> find(Session session, String id) {
    return session.execute(
        () ->
            Optional.ofNullable(rows.find(id))
                .flatMap(row -> Optional.ofNullable(row.seenBy(session)))
                .filter(kind::isDead)
                .map(StoredEvent::letter));
  }

  private Stream<DeadLetter> dead(Session session) {
    return rows.all().stream()
        .flatMap(row -> Stream.ofNullable(row.seenBy(session)))
        .filter(kind::isDead)
        .map(row -> row.withoutPayload().letter())
        .sorted(NEWEST_FIRST);
  }

  private boolean matches(DeadLetter letter, DeadLetterFilter filter) {
    String error = letter.error();
    return isOrAny(filter.topic(), letter.topic())
        && isOrAny(filter.tenantId(), letter.tenantId())
        && isOrAny(filter.source(), kind.source(letter))
        && isOrAny(filter.correlationId(), letter.correlationId())
        && (filter.errorContains() == null
            || (error != null && error.contains(filter.errorContains())))
        && (filter.diedFrom() == null || !letter.diedAt().isBefore(filter.diedFrom()))
        && (filter.diedBefore() == null || letter.diedAt().isBefore(filter.diedBefore()));
  }

  private static boolean isOrAny(@Nullable String wanted, @Nullable String value) {
    return wanted == null || wanted.equals(value);
  }

  Set<String> move(
      Session session,
      Collection<String> ids,
      @Nullable Instant diedBefore,
      UnaryOperator<StoredEvent> next) {
    return session.execute(
        () -> {
          Set<String> changed = new LinkedHashSet<>();
          for (String id : new LinkedHashSet<>(ids)) {
            Rows.Row row = rows.find(id);
            StoredEvent state =
                row != null && row.accessibleTo(session) ? row.seenBy(session) : null;
            if (row != null
                && state != null
                && kind.isDead(state)
                && (diedBefore == null || state.availableAt().isBefore(diedBefore))) {
              session.write(row, kind.moved(next.apply(state)));
              changed.add(id);
            }
          }
          return changed;
        });
  }

  /** Clears payloads of rows that were done before the instant. */
  int purgePayloads(Session session, Instant before, int limit) {
    return change(
        session,
        row -> row.hasPayload() && row.isDoneBefore(before),
        StoredEvent::withoutPayload,
        limit);
  }

  int purgeDone(Session session, Instant before, int limit) {
    return change(
        session, row -> row.isDoneBefore(before) && kind.isUnseen(row, before), row -> null, limit);
  }

  int purgeDead(Session session, Instant before, int limit) {
    return change(
        session,
        row -> kind.isDead(row) && row.availableAt().isBefore(before) && kind.isUnseen(row, before),
        row -> null,
        limit);
  }

  /**
   * Changes up to so many rows.
   *
   * @param next what becomes of one; null if it goes
   */
  private int change(
      Session session,
      Predicate<StoredEvent> which,
      Function<StoredEvent, @Nullable StoredEvent> next,
      int limit) {
    return session.execute(
        () -> {
          List<Rows.Row> found =
              rows.all().stream()
                  .filter(row -> row.accessibleTo(session))
                  .filter(row -> row.seenBy(session) != null)
                  .filter(row -> which.test(Objects.requireNonNull(row.seenBy(session))))
                  .limit(limit)
                  .toList();
          for (Rows.Row row : found) {
            StoredEvent state = Objects.requireNonNull(row.seenBy(session));
            session.write(row, next.apply(state));
          }
          return found.size();
        });
  }
}
