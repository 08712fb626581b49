package outbox.internal.queue;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.Bulk;
import outbox.DeadLetters;
import outbox.internal.text.EnvelopeRules;
import outbox.internal.text.LogText;
import outbox.model.DeadCount;
import outbox.model.DeadLetter;
import outbox.model.DeadLetter.Position;
import outbox.model.DeadLetterFilter;
import outbox.model.MessageId;
import outbox.spi.ConnectionProvider;
import outbox.spi.EndedEventStore;
import outbox.spi.LeasedEventStore;
import outbox.spi.OrderedEvents;

/** The dead letters of any store. */
public final class StoredDeadLetters implements DeadLetters {
  private static final Logger LOG = System.getLogger(DeadLetters.class.getName());
  private static final int COUNT_WINDOW = 100_000;

  private final ConnectionProvider connections;
  private final EndedEventStore store;
  private final Runnable onReplay;

  /**
   * The dead letters of a store.
   *
   * @param onReplay runs after a replay, to wake the component that claims; never blocks, never
   *     throws
   */
  public StoredDeadLetters(
      ConnectionProvider connections, EndedEventStore store, Runnable onReplay) {
    this.connections = requireNonNull(connections, "connections");
    this.store = requireNonNull(store, "store");
    this.onReplay = requireNonNull(onReplay, "onReplay");
  }

  @Override
  public List<DeadLetter> list(DeadLetterFilter filter, @Nullable Position after, int limit) {
    requireNonNull(filter, "filter");
    if (limit < 1) {
      throw new IllegalArgumentException("limit (" + limit + ") must be at least 1");
    }
    return connections.inAutoCommit(c -> store.deadLetters(c, filter, after, limit));
  }

  @Override
  public DeadCount count(DeadLetterFilter filter) {
    requireNonNull(filter, "filter");
    return connections.inAutoCommit(c -> store.countDead(c, filter, COUNT_WINDOW));
  }

  @Override
  public Optional<DeadLetter> find(MessageId id) {
    requireNonNull(id, "id");
    return connections.inAutoCommit(c -> store.deadLetter(c, id.value()));
  }

  @Override
  public Set<MessageId> replay(Collection<MessageId> ids, String by, boolean failedOnly) {
    Set<String> values = values(ids);
    EnvelopeRules.operator(by);
    Set<String> changed =
        connections.inAutoCommit(c -> store.replay(c, values, by, failedOnly, null));
    replayed(changed.size(), by);
    return typed(changed);
  }

  @Override
  public long replay(DeadLetterFilter filter, Bulk bulk) {
    BulkRun run = new BulkRun(connections, store, bulk);
    long changed =
        run.over(
            filter,
            (c, ids, start) -> store.replay(c, ids, bulk.by(), bulk.failedOnly(), start).size(),
            () -> {
              onReplay.run();
              run.awaitBacklog();
            });
    replayed(changed, bulk.by());
    return changed;
  }

  /** Logs a replay, and runs {@code onReplay} if it changed anything. */
  public void replayed(long count, String by) {
    LOG.log(
        Level.INFO,
        "dead letters replayed count={0} by={1}",
        String.valueOf(count),
        LogText.of(by));
    if (count > 0) {
      onReplay.run();
    }
  }

  @Override
  public Set<MessageId> discard(Collection<MessageId> ids, String by, String reason) {
    Set<String> values = values(ids);
    String error = error(EnvelopeRules.operator(by), reason);
    Set<String> changed =
        connections.inAutoCommit(
            c -> discardAndAdvance(c, () -> store.discard(c, values, by, error, null)));
    discarded(changed.size(), by);
    return typed(changed);
  }

  @Override
  public long discard(DeadLetterFilter filter, String reason, Bulk bulk) {
    String error = error(bulk.by(), reason);
    long changed =
        new BulkRun(connections, store, bulk)
            .over(
                filter,
                (c, ids, start) ->
                    discardAndAdvance(c, () -> store.discard(c, ids, bulk.by(), error, start))
                        .size(),
                () -> {});
    discarded(changed, bulk.by());
    return changed;
  }

  /** Starts the next events of the ordering keys that the discarded ones have held. */
  private Set<String> discardAndAdvance(Connection connection, Supplier<Set<String>> discard) {
    OrderedEvents ordered = store instanceof LeasedEventStore leased ? leased.ordered() : null;
    if (ordered == null) {
      return discard.get();
    }
    Set<String> keys = new LinkedHashSet<>();
    Set<String> discarded =
        ((LeasedEventStore) store)
            .inTransaction(
                connection,
                () -> {
                  Set<String> ids = discard.get();
                  keys.addAll(ids.isEmpty() ? ids : ordered.keysOf(connection, ids));
                  return ids;
                });
    if (!keys.isEmpty()) {
      ordered.advance(connection, null, keys);
      onReplay.run();
    }
    return discarded;
  }

  private static String error(String by, String reason) {
    if (requireNonNull(reason, "reason").isBlank()) {
      throw new IllegalArgumentException(
          "reason must not be blank: it is all that is left to read");
    }
    return "discarded by " + by + ": " + reason;
  }

  private static void discarded(long count, String by) {
    LOG.log(
        Level.INFO,
        "dead letters discarded count={0} by={1}",
        String.valueOf(count),
        LogText.of(by));
  }

  private static Set<String> values(Collection<MessageId> ids) {
    return requireNonNull(ids, "ids").stream()
        .map(MessageId::value)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private static Set<MessageId> typed(Set<String> ids) {
    return ids.stream().map(MessageId::new).collect(Collectors.toUnmodifiableSet());
  }
}
