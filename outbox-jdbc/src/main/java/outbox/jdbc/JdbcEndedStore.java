package outbox.jdbc;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.internal.store.EndedRows;
import outbox.jdbc.internal.store.EventTable;
import outbox.jdbc.internal.store.Version1Payload;
import outbox.model.DeadCount;
import outbox.model.DeadLetter;
import outbox.model.DeadLetter.Position;
import outbox.model.DeadLetterFilter;
import outbox.spi.EndedEventStore;

/** The half of a store that is about events after their end. */
abstract class JdbcEndedStore implements EndedEventStore {
  final StoreOptions options;
  private final Version1Payload version1 = new Version1Payload();

  JdbcEndedStore(StoreOptions options) {
    this.options = options;
  }

  /** The table in the connection's database. */
  abstract EventTable table(Connection conn);

  private EndedRows rows(Connection conn) {
    return new EndedRows(table(conn));
  }

  @Override
  public Instant now(Connection conn) {
    return rows(conn).now(conn);
  }

  @Override
  public List<DeadLetter> deadLetters(
      Connection conn, DeadLetterFilter filter, @Nullable Position after, int limit) {
    return rows(conn).list(conn, filter, after, limit);
  }

  @Override
  public Optional<DeadLetter> deadLetter(Connection conn, String eventId) {
    return rows(conn).find(conn, eventId);
  }

  @Override
  public DeadCount countDead(Connection conn, DeadLetterFilter filter, int window) {
    return rows(conn).count(conn, filter, window);
  }

  @Override
  public Set<String> replay(
      Connection conn,
      Collection<String> eventIds,
      String by,
      boolean failedOnly,
      @Nullable Instant diedBefore) {
    return rows(conn)
        .move(
            conn,
            "replay",
            eventIds,
            diedBefore,
            more -> more.text("by", by).number("failed_only", failedOnly ? 1 : 0));
  }

  @Override
  public Set<String> discard(
      Connection conn,
      Collection<String> eventIds,
      String by,
      String error,
      @Nullable Instant diedBefore) {
    String text = options.fit(error);
    return rows(conn)
        .move(
            conn, "discard", eventIds, diedBefore, more -> more.text("by", by).text("error", text));
  }

  @Override
  public int backlog(Connection conn, int most) {
    return rows(conn).backlog(conn, most);
  }

  @Override
  public int purgePayloads(Connection conn, Duration doneFor, int limit) {
    boolean beside = version1.isThere(conn, table(conn));
    return rows(conn).purgePayloads(conn, doneFor, limit, beside);
  }

  @Override
  public int purgeDone(Connection conn, Duration doneFor, int limit) {
    return rows(conn).purge(conn, "purge_done", doneFor, limit);
  }

  @Override
  public int purgeDead(Connection conn, Duration deadFor, int limit) {
    return rows(conn).purge(conn, "purge_dead", deadFor, limit);
  }
}
