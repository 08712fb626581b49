package outbox.jdbc;

import static java.util.Comparator.comparing;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxStore;
import outbox.inbox.InboxStore.Arrival;
import outbox.inbox.InboxStore.Receipt;
import outbox.inbox.ReceiveResult;
import outbox.inbox.ReceiveResult.Kind;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.jdbc.internal.store.InboxRows;
import outbox.jdbc.internal.tx.OwnTransaction;
import outbox.spi.LeasedEventStore.Lease;

/**
 * Receives many messages by few statements. A statement has each key once, in the order of keys; a
 * key that is given again comes in the next round, and finds what the first one stored.
 */
final class BulkIntake {
  /** Well below the 16 MiB that MariaDB and MySQL take in one packet by default. */
  private static final long MAX_CHARACTERS = 2L << 20;

  private final Statements sql;
  private final InboxStore store;
  private final List<Arrival> arrivals;
  private final List<Chunk> chunks = new ArrayList<>();

  BulkIntake(Statements sql, InboxStore store, List<Arrival> arrivals) {
    this.sql = sql;
    this.store = store;
    this.arrivals = arrivals;
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < arrivals.size(); i++) {
      places.add(i);
    }
    while (!places.isEmpty()) {
      places = cut(places);
    }
  }

  /** What one statement stores: places among the arrivals, which have one lease or none. */
  private record Chunk(@Nullable Lease lease, List<Integer> places) {}

  /** Makes chunks of the first message of each key; returns the places of the others. */
  private List<Integer> cut(List<Integer> places) {
    Set<InboxKey> keys = new HashSet<>();
    List<Integer> first = new ArrayList<>();
    List<Integer> again = new ArrayList<>();
    for (int place : places) {
      (keys.add(key(place)) ? first : again).add(place);
    }
    first.sort(
        comparing((Integer place) -> key(place).source())
            .thenComparing(place -> key(place).messageId()));
    Map<Optional<Lease>, List<Integer>> byLease =
        first.stream()
            .collect(groupingBy(place -> Optional.ofNullable(arrivals.get(place).lease())));
    byLease.forEach((lease, some) -> cut(lease.orElse(null), some));
    return again;
  }

  private void cut(@Nullable Lease lease, List<Integer> places) {
    List<Integer> chunk = new ArrayList<>();
    long characters = 0;
    for (int place : places) {
      int length = message(place).payload().length();
      if (chunk.size() == sql.dialect().maxRows()
          || (!chunk.isEmpty() && characters + length > MAX_CHARACTERS)) {
        chunks.add(new Chunk(lease, chunk));
        chunk = new ArrayList<>();
        characters = 0;
      }
      chunk.add(place);
      characters += length;
    }
    chunks.add(new Chunk(lease, chunk));
  }

  private InboundMessage message(int place) {
    return arrivals.get(place).message();
  }

  private InboxKey key(int place) {
    return message(place).key();
  }

  List<Receipt> receive(Connection conn) {
    boolean isOneStatement = sql.dialect().returnsRows() && chunks.size() == 1;
    return isOneStatement
        ? OwnTransaction.single(conn, sql.dialect(), () -> receiveChunks(conn))
        : OwnTransaction.patiently(conn, sql.dialect(), () -> receiveChunks(conn));
  }

  private List<Receipt> receiveChunks(Connection conn) {
    Receipt[] receipts = new Receipt[arrivals.size()];
    for (Chunk chunk : chunks) {
      Map<InboxKey, Found> found = found(conn, chunk);
      for (int place : chunk.places) {
        receipts[place] = receipt(conn, place, requireNonNull(found.get(key(place))));
      }
    }
    return Arrays.asList(receipts);
  }

  /** A key without content gets it as any single message would give it. */
  private Receipt receipt(Connection conn, int place, Found found) {
    Optional<KnownMessage> known = found.known(message(place));
    if (known.isEmpty()) {
      return new Receipt(new ReceiveResult(Kind.NEW, false), true);
    }
    Arrival arrival = arrivals.get(place);
    return known.get().lacksContent()
        ? store.receive(conn, arrival.message(), arrival.eventId(), null)
        : new Receipt(known.get().result(), false);
  }

  private Map<InboxKey, Found> found(Connection conn, Chunk chunk) {
    List<Arrival> some = chunk.places.stream().map(arrivals::get).toList();
    boolean hashed = some.stream().allMatch(each -> each.message().hash() != null);
    Parameters parameters = InboxRows.ofMany(sql, some, chunk.lease).flag("hashed", hashed);
    Map<InboxKey, Found> found = new HashMap<>();
    if (sql.dialect().returnsRows()) {
      sql.query(conn, "receive_all", parameters, Found::of).forEach(row -> found.put(row.key, row));
      return found;
    }
    sql.update(conn, "receive_all", parameters);
    Map<String, List<String>> bySource =
        some.stream()
            .map(each -> each.message().key())
            .collect(
                groupingBy(InboxKey::source, TreeMap::new, mapping(InboxKey::messageId, toList())));
    bySource.forEach(
        (source, ids) -> {
          Parameters keys =
              sql.parameters()
                  .text("source", source)
                  .list("message_ids", ids)
                  .flag("hashed", hashed);
          sql.query(conn, "received_all", keys, Found::of).forEach(row -> found.put(row.key, row));
        });
    return found;
  }

  /** How a key stands. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Found(InboxKey key, @Nullable String knownAs, byte @Nullable [] hash) {
    static Found of(ResultSet row) throws SQLException {
      return new Found(InboxRows.key(row), row.getString("known_as"), row.getBytes("hash"));
    }

    Optional<KnownMessage> known(InboundMessage message) {
      return KnownMessage.of(knownAs, message.hash() == null ? null : hash, message);
    }
  }
}
