package outbox.jdbc;

import static java.util.Comparator.comparing;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.inbox.InboxStore;
import outbox.inbox.ReceiveResult;
import outbox.inbox.ReceiveResult.Kind;
import outbox.internal.text.Ulid;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.sql.Chunks;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.jdbc.internal.store.InboxRows;
import outbox.jdbc.internal.store.TableKind;
import outbox.jdbc.internal.tx.OwnTransaction;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.StoreException;

/**
 * The store of an inbox in a relational database, one of those that {@link JdbcOutboxRepository}
 * knows; it is that repository that leases and completes the messages. The table comes from {@link
 * InboxSchema}. Thread-safe.
 */
public final class JdbcInboxStore implements InboxStore {
  private static final int MAX_TRIES = 10;
  private static final int MAX_KEYS = 250;
  private static final String DUPLICATE_KEY = "23505";

  private final TableName table;
  private final JdbcOutboxRepository events;

  /** A store on the table {@code outbox_inbox}. */
  public JdbcInboxStore() {
    this(TableName.DEFAULT_INBOX, JdbcOutboxRepository.builder());
  }

  private JdbcInboxStore(TableName table, JdbcOutboxRepositoryBuilder options) {
    this.table = table;
    this.events = options.kind(TableKind.INBOX, table).build();
  }

  /** A store on another table: a name, or a schema and a name with a dot between. */
  public static JdbcInboxStore onTable(String tableName) {
    return new JdbcInboxStore(TableName.of(tableName), JdbcOutboxRepository.builder());
  }

  /** Returns a store on this table that keeps so many characters of an error, instead of 4000. */
  public JdbcInboxStore maxErrorLength(int maxErrorLength) {
    return new JdbcInboxStore(table, JdbcOutboxRepository.builder().maxErrorLength(maxErrorLength));
  }

  /** With another clock than the database's, as an SQL expression of its instant type. */
  JdbcInboxStore nowExpression(String now) {
    return new JdbcInboxStore(table, JdbcOutboxRepository.builder().nowExpression(now));
  }

  String tableName() {
    return table.toString();
  }

  JdbcOutboxRepository repository() {
    return events;
  }

  @Override
  public LeasedEventStore events() {
    return events;
  }

  @Override
  public String newEventId(InboxKey key) {
    return Ulid.next();
  }

  @Override
  public Receipt receive(
      Connection conn, InboundMessage message, String eventId, @Nullable Lease lease) {
    Statements sql = events.table(conn).statements();
    Parameters parameters =
        InboxRows.parameters(sql, eventId, message, lease)
            .flag("relaxed", OwnTransaction.autoCommits(conn));
    for (int tries = 1; ; tries++) {
      Optional<KnownMessage> known =
          upsert(
              conn, sql, "receive", "received", parameters, row -> KnownMessage.of(row, message));
      if (known.isEmpty()) {
        return new Receipt(new ReceiveResult(Kind.NEW, false), true);
      }
      boolean contentDiffers = known.get().contentDiffers();
      if (!known.get().lacksContent() || tries == MAX_TRIES) {
        return new Receipt(known.get().result(), false);
      }
      // Callers race to fill the row: the first wins, the others find its content in the next
      // round.
      if (changed(conn, sql, "fill", parameters) == 1) {
        return new Receipt(new ReceiveResult(Kind.NEW, contentDiffers), false);
      }
    }
  }

  @Override
  public List<Receipt> receiveAll(Connection conn, List<Arrival> arrivals) {
    Statements sql = events.table(conn).statements();
    return pastDuplicates(() -> new BulkIntake(sql, this, arrivals).receive(conn));
  }

  @Override
  public Sighting enqueue(Connection conn, InboundMessage message) {
    Statements sql = events.table(conn).statements();
    Parameters parameters = InboxRows.parameters(sql, Ulid.next(), message);
    byte[] hash = message.hash();
    if (hash == null || sql.dialect().returnsRows()) {
      return upsert(conn, sql, "enqueue", "found", parameters, row -> Enqueued.of(row, hash));
    }
    return pastDuplicates(
        () ->
            OwnTransaction.of(
                conn, sql.dialect(), () -> enqueueComparing(conn, sql, parameters, hash)));
  }

  /**
   * Reads the hash before it is replaced. A message that was not there is now PROCESSING and is not
   * read again, so that a new message costs as many statements as one without a hash.
   */
  private static Sighting enqueueComparing(
      Connection conn, Statements sql, Parameters parameters, byte[] hash) {
    List<Found> before = sql.query(conn, "found", parameters, Found::of);
    sql.update(conn, "enqueue", parameters);
    if (before.isEmpty()) {
      return new Sighting(InboxStatus.PROCESSING, false);
    }
    byte[] stored = before.get(0).hash();
    InboxStatus now = first(conn, sql, "found", parameters, Found::of).status();
    return new Sighting(now, stored != null && !Arrays.equals(stored, hash));
  }

  @Override
  public Sighting see(Connection conn, InboxKey key, byte @Nullable [] hash) {
    Statements sql = events.table(conn).statements();
    Parameters parameters = InboxRows.parameters(sql, Ulid.next(), key, hash);
    Found found = upsert(conn, sql, "see", "found", parameters, Found::of);
    return new Sighting(found.status(), hash != null && !Arrays.equals(found.hash(), hash));
  }

  @Override
  public boolean mark(Connection conn, InboxKey key, InboxStatus status) {
    String name =
        switch (status) {
          case PROCESSING -> "mark_processing";
          case DONE -> "mark_processed";
          case DEAD -> "mark_dead";
          case SEEN ->
              throw new IllegalArgumentException("status (SEEN) is the first one, never a later");
        };
    Statements sql = events.table(conn).statements();
    return changed(conn, sql, name, InboxRows.parameters(sql, key)) == 1;
  }

  private static int changed(Connection conn, Statements sql, String name, Parameters parameters) {
    return OwnTransaction.single(conn, sql.dialect(), () -> sql.update(conn, name, parameters));
  }

  @Override
  public Optional<InboxMessage> find(Connection conn, InboxKey key) {
    Statements sql = events.table(conn).statements();
    InboxRows rows = new InboxRows(sql);
    return sql.query(conn, "get", InboxRows.parameters(sql, key), rows::message).stream()
        .findFirst();
  }

  @Override
  public Map<InboxKey, String> eventIds(Connection conn, Collection<InboxKey> keys) {
    return ids(conn, "find_ids", keys, more -> {});
  }

  /** Reads who is pinned instead of counting: of a batch a driver need not say what it changed. */
  @Override
  public Map<InboxKey, String> pin(
      Connection conn, String owner, String pinned, int contentVersion, Collection<InboxKey> keys) {
    Statements sql = events.table(conn).statements();
    List<Parameters> inOrder =
        keys.stream()
            .sorted(comparing(InboxKey::source).thenComparing(InboxKey::messageId))
            .map(
                key ->
                    InboxRows.parameters(sql, key)
                        .text("owner", owner)
                        .text("pinned", pinned)
                        .number("content_version", contentVersion))
            .toList();
    return OwnTransaction.of(
        conn,
        sql.dialect(),
        () -> {
          sql.batch(conn, "pin", inOrder);
          return ids(
              conn,
              "pinned",
              keys,
              more -> more.text("pinned", pinned).number("content_version", contentVersion));
        });
  }

  /** Sources and ids are asked for apart, so that other pairs come back too. */
  private Map<InboxKey, String> ids(
      Connection conn, String query, Collection<InboxKey> keys, Consumer<Parameters> more) {
    Statements sql = events.table(conn).statements();
    Set<InboxKey> asked = new HashSet<>(keys);
    Map<InboxKey, String> ids = new HashMap<>();
    for (List<InboxKey> chunk : Chunks.of(keys, MAX_KEYS)) {
      Parameters parameters =
          sql.parameters()
              .list("sources", distinct(chunk, InboxKey::source))
              .list("message_ids", distinct(chunk, InboxKey::messageId));
      more.accept(parameters);
      for (Map.Entry<InboxKey, String> id : sql.query(conn, query, parameters, InboxRows::id)) {
        if (asked.contains(id.getKey())) {
          ids.put(id.getKey(), id.getValue());
        }
      }
    }
    return ids;
  }

  private static List<String> distinct(List<InboxKey> keys, Function<InboxKey, String> part) {
    return keys.stream().map(part).distinct().toList();
  }

  /**
   * Inserts or changes the row of a key and says how it is now, by one statement where the database
   * can.
   *
   * @param query how the row is asked for where the statement does not return it
   */
  private static <T> T upsert(
      Connection conn,
      Statements sql,
      String name,
      String query,
      Parameters parameters,
      Statements.RowReader<T> reader) {
    return pastDuplicates(
        () ->
            sql.dialect().returnsRows()
                ? OwnTransaction.single(
                    conn, sql.dialect(), () -> first(conn, sql, name, parameters, reader))
                : OwnTransaction.of(
                    conn,
                    sql.dialect(),
                    () -> {
                      sql.update(conn, name, parameters);
                      return first(conn, sql, query, parameters, reader);
                    }));
  }

  /**
   * A database that cannot insert past a competing insert fails by the key, and finds the row when
   * it tries again.
   */
  private static <T> T pastDuplicates(Supplier<T> upsert) {
    for (int tries = 1; ; tries++) {
      try {
        return upsert.get();
      } catch (StoreException e) {
        boolean again =
            e.getCause() instanceof SQLException cause && DUPLICATE_KEY.equals(cause.getSQLState());
        if (tries == MAX_TRIES || !again) {
          throw e;
        }
      }
    }
  }

  private static <T> T first(
      Connection conn,
      Statements sql,
      String name,
      Parameters parameters,
      Statements.RowReader<T> reader) {
    return sql.query(conn, name, parameters, reader).get(0);
  }

  /** How a key stands after it was seen or enqueued. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Found(InboxStatus status, byte @Nullable [] hash) {
    static Found of(ResultSet row) throws SQLException {
      return new Found(InboxRows.status(row.getInt("status")), row.getBytes("hash"));
    }
  }

  /** How a key stands after it was enqueued, beside the hash that it had before. */
  private static final class Enqueued {
    private Enqueued() {}

    static Sighting of(ResultSet row, byte @Nullable [] hash) throws SQLException {
      InboxStatus status = InboxRows.status(row.getInt("status"));
      byte[] stored = hash == null ? null : row.getBytes("previous_hash");
      return new Sighting(status, stored != null && !Arrays.equals(stored, hash));
    }
  }
}
