package outbox.testing.memory;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.model.DeadCount;
import outbox.model.DeadLetter;
import outbox.model.DeadLetter.Position;
import outbox.model.DeadLetterFilter;
import outbox.spi.EndedEventStore;

/** The half of a store that is about events after their end. */
abstract class InMemoryEndedStore implements EndedEventStore {
  final InMemoryTable table;
  private final InMemoryEnded ended;

  InMemoryEndedStore(InMemoryTable table) {
    this.table = table;
    this.ended = new InMemoryEnded(table);
  }

  Session session(Connection conn) {
    return table.session(conn);
  }

  @Override
  public Instant now(Connection conn) {
    return table.now();
  }

  @Override
  public List<DeadLetter> deadLetters(
      Connection conn, DeadLetterFilter filter, @Nullable Position after, int limit) {
    return ended.list(session(conn), filter, after, limit);
  }

  @Override
  public Optional<DeadLetter> deadLetter(Connection conn, String eventId) {
    return ended.find(session(conn), eventId);
  }

  @Override
  public DeadCount countDead(Connection conn, DeadLetterFilter filter, int window) {
    return ended.count(session(conn), filter, window);
  }

  @Override
  public Set<String> replay(
      Connection conn,
      Collection<String> eventIds,
      String by,
      boolean failedOnly,
      @Nullable Instant diedBefore) {
    Instant now = table.now();
    return ended.move(
        session(conn), eventIds, diedBefore, row -> row.replayed(by, failedOnly, now));
  }

  @Override
  public Set<String> discard(
      Connection conn,
      Collection<String> eventIds,
      String by,
      String error,
      @Nullable Instant diedBefore) {
    Instant now = table.now();
    return ended.move(session(conn), eventIds, diedBefore, row -> row.discarded(by, error, now));
  }

  @Override
  public int backlog(Connection conn, int most) {
    Instant now = table.now();
    return session(conn)
        .execute(
            () ->
                (int)
                    table.rows().live().stream()
                        .takeWhile(row -> !row.indexedAt().isAfter(now))
                        .limit(most)
                        .count());
  }

  @Override
  public int purgePayloads(Connection conn, Duration doneFor, int limit) {
    return ended.purgePayloads(session(conn), table.now().minus(doneFor), limit);
  }

  @Override
  public int purgeDone(Connection conn, Duration doneFor, int limit) {
    return ended.purgeDone(session(conn), table.now().minus(doneFor), limit);
  }

  @Override
  public int purgeDead(Connection conn, Duration deadFor, int limit) {
    return ended.purgeDead(session(conn), table.now().minus(deadFor), limit);
  }
}
