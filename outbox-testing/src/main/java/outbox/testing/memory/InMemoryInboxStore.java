package outbox.testing.memory;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.inbox.InboxStore;
import outbox.inbox.ReceiveResult;
import outbox.inbox.ReceiveResult.Kind;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.Lease;

/**
 * The store of an inbox in memory, for tests of applications: an {@link InMemoryEventStore} whose
 * rows are messages. Works on its own {@link #connections()} only. Thread-safe.
 */
public final class InMemoryInboxStore implements InboxStore {
  private final InMemoryEventStore events;
  private final Clock clock;

  /** A store that runs by the system's clock. */
  public InMemoryInboxStore() {
    this(Clock.systemUTC());
  }

  /** A store for which it is as late as the clock says. */
  public InMemoryInboxStore(Clock clock) {
    this.clock = requireNonNull(clock, "clock");
    this.events = new InMemoryEventStore(clock, RowKind.MESSAGES);
  }

  /** Connections in auto-commit mode; closing one rolls back what it has not committed. */
  public ConnectionProvider connections() {
    return events.connections();
  }

  /** Transactions bound to threads. */
  public InMemoryTransactions transactions() {
    return events.transactions();
  }

  @Override
  public LeasedEventStore events() {
    return events;
  }

  @Override
  public String newEventId(InboxKey key) {
    return id(key);
  }

  @Override
  public Receipt receive(
      Connection conn, InboundMessage message, String eventId, @Nullable Lease lease) {
    return change(
        conn,
        message.key(),
        (row, slot) -> {
          if (row == null || row.lacksContent()) {
            InboxRow seen = row == null ? InboxRow.seen(message.key(), null, now()) : row;
            InboxRow filled = seen.filled(message, now());
            slot.write(row == null && lease != null ? filled.leased(lease, now()) : filled);
            return new Receipt(new ReceiveResult(Kind.NEW, differs(seen, message)), row == null);
          }
          slot.write(row.seenAgain(null, now()));
          return new Receipt(
              new ReceiveResult(kind(row.message().status()), differs(row, message)), false);
        });
  }

  private static boolean differs(InboxRow stored, InboundMessage given) {
    byte[] hash = stored.message().hash();
    if (given.hash() != null && hash != null) {
      return !Arrays.equals(hash, given.hash());
    }
    return stored.payload() != null && !given.payload().equals(stored.payload());
  }

  private static Kind kind(InboxStatus status) {
    return switch (status) {
      case DONE -> Kind.DONE;
      case DEAD -> Kind.DEAD;
      case SEEN, PROCESSING -> Kind.DUPLICATE;
    };
  }

  @Override
  public Sighting enqueue(Connection conn, InboundMessage message) {
    return change(
        conn,
        message.key(),
        (row, slot) -> {
          InboxRow before = row == null ? InboxRow.seen(message.key(), null, now()) : row;
          InboxRow after =
              switch (before.message().status()) {
                case DONE -> before.seenAgain(null, now());
                case SEEN -> before.filled(message, now());
                case PROCESSING, DEAD ->
                    before.replaced(message, UUID.randomUUID().toString(), now());
              };
          slot.write(after);
          byte[] stored = before.message().hash();
          return new Sighting(
              after.message().status(),
              stored != null && message.hash() != null && !Arrays.equals(stored, message.hash()));
        });
  }

  @Override
  public Sighting see(Connection conn, InboxKey key, byte @Nullable [] hash) {
    return change(
        conn,
        key,
        (row, slot) -> {
          InboxRow after =
              row == null ? InboxRow.seen(key, hash, now()) : row.seenAgain(hash, now());
          slot.write(after);
          boolean differs = hash != null && !Arrays.equals(after.message().hash(), hash);
          return new Sighting(after.message().status(), differs);
        });
  }

  @Override
  public boolean mark(Connection conn, InboxKey key, InboxStatus status) {
    Set<InboxStatus> movable =
        status == InboxStatus.PROCESSING
            ? Set.of(InboxStatus.SEEN)
            : Set.of(InboxStatus.SEEN, InboxStatus.PROCESSING);
    return update(
            conn,
            key,
            row -> movable.contains(row.message().status()),
            row -> row.marked(status, now()))
        == 1;
  }

  @Override
  public Optional<InboxMessage> find(Connection conn, InboxKey key) {
    Session session = events.session(conn);
    return session.execute(
        () ->
            Optional.ofNullable(events.rows().find(id(key)))
                .flatMap(row -> Optional.ofNullable(row.seenBy(session)))
                .map(row -> InboxRow.of(row).message()));
  }

  @Override
  public Map<InboxKey, String> eventIds(Connection conn, Collection<InboxKey> keys) {
    Map<InboxKey, String> ids = new LinkedHashMap<>();
    for (InboxKey key : keys) {
      if (find(conn, key).isPresent()) {
        ids.put(key, id(key));
      }
    }
    return ids;
  }

  @Override
  public Map<InboxKey, String> pin(
      Connection conn, String owner, String pinned, int contentVersion, Collection<InboxKey> keys) {
    return keys.stream()
        .filter(
            key ->
                update(
                        conn,
                        key,
                        row -> row.isHeldBy(owner, pinned, contentVersion),
                        row -> row.heldBy(pinned))
                    == 1)
        .collect(Collectors.toMap(key -> key, InMemoryInboxStore::id));
  }

  /** The row of a key always has the same id, so that the key needs no index of its own. */
  static String id(InboxKey key) {
    String text = key.source().length() + ":" + key.source() + key.messageId();
    return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).toString();
  }

  private <T> T change(Connection conn, InboxKey key, Change<T> change) {
    Session session = events.session(conn);
    return session.execute(
        () -> {
          Rows.Row slot = events.rows().slot(id(key), session);
          StoredEvent state = slot.seenBy(session);
          return change.apply(
              state == null ? null : InboxRow.of(state),
              row -> session.write(slot, row == null ? null : row.stored()));
        });
  }

  private int update(
      Connection conn, InboxKey key, Predicate<InboxRow> which, UnaryOperator<InboxRow> next) {
    return change(
        conn,
        key,
        (row, slot) -> {
          if (row == null || !which.test(row)) {
            return 0;
          }
          slot.write(next.apply(row));
          return 1;
        });
  }

  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MICROS);
  }

  /** Writes the row of a key. */
  @FunctionalInterface
  private interface Slot {
    void write(@Nullable InboxRow row);
  }

  /** One statement on the row of a key, which is null if there is none. */
  @FunctionalInterface
  private interface Change<T> {
    T apply(@Nullable InboxRow row, Slot slot) throws SQLException;
  }
}
