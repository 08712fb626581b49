package outbox.testing.memory;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLIntegrityConstraintViolationException;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import outbox.model.OutboxEvent;

/**
 * What all views of a store share: rows, the index of their keys, the places of ordered ones and
 * the time. Thread-safe.
 */
record InMemoryTable(
    Rows rows, InMemoryKeys keys, InMemoryPlaces places, Clock clock, RowKind kind) {

  static InMemoryTable of(RowKind kind, Clock clock) {
    Rows rows = new Rows();
    return new InMemoryTable(rows, new InMemoryKeys(rows), new InMemoryPlaces(rows), clock, kind);
  }

  Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MICROS);
  }

  Session session(Connection conn) {
    return Session.of(requireNonNull(conn, "conn"), rows);
  }

  /** Returns the id of the row that has the key already, if there is one. */
  Optional<String> insert(Session session, StoredEvent row) {
    OutboxEvent event = row.event();
    return session.execute(
        () -> {
          Optional<String> first = keys.take(session, event);
          if (first.isEmpty()) {
            Rows.Row slot = rows.slot(event.eventId(), session);
            if (slot.seenBy(session) != null) {
              throw new SQLIntegrityConstraintViolationException(
                  "event " + event.eventId() + " exists already", "23505");
            }
            session.write(slot, row);
          }
          return first;
        });
  }
}
