package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.internal.store.EventTable;
import outbox.jdbc.internal.store.Order;
import outbox.jdbc.internal.tx.OwnTransaction;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.OrderedEvents;

/** The order by key of a store's table, in whichever database its connections lead to. */
final class JdbcOrderedEvents implements OrderedEvents {
  private final Function<Connection, EventTable> tables;
  private final BiFunction<Connection, String, Consumer<List<String>>> expiry;

  /**
   * The order of a store's events.
   *
   * @param expiry ends events on a connection, under the lease of an owner
   */
  JdbcOrderedEvents(
      Function<Connection, EventTable> tables,
      BiFunction<Connection, String, Consumer<List<String>>> expiry) {
    this.tables = tables;
    this.expiry = expiry;
  }

  @Override
  public Placement insert(Connection conn, EventEnvelope event, @Nullable Lease lease) {
    EventTable table = tables.apply(conn);
    Order order = order(table);
    String key = requireNonNull(event.orderingKey(), "orderingKey");
    if (event.hasIdempotencyKey()) {
      return OwnTransaction.of(
          conn, table.dialect(), () -> insertOnce(conn, table, order, event, key, lease));
    }
    return order.insert(conn, event, key, lease) ? Placement.BEHIND : Placement.FIRST;
  }

  private static Placement insertOnce(
      Connection conn,
      EventTable table,
      Order order,
      EventEnvelope event,
      String key,
      @Nullable Lease lease) {
    Optional<String> existing = table.keyedInserts().insert(conn, event, lease);
    if (existing.isPresent()) {
      return new Placement(existing.get(), false);
    }
    return order.place(conn, key, event.eventId()) ? Placement.BEHIND : Placement.FIRST;
  }

  @Override
  public Advance advance(Connection conn, @Nullable Lease lease, Collection<String> keys) {
    if (keys.isEmpty()) {
      return Advance.NOTHING;
    }
    Consumer<List<String>> expire = lease == null ? none -> {} : expiry.apply(conn, lease.owner());
    return order(conn).advance(conn, lease, keys, expire);
  }

  @Override
  public List<HeldKey> held(Connection conn, Collection<String> keys) {
    return order(conn).held(conn, keys);
  }

  @Override
  public Set<String> release(Connection conn, Collection<String> eventIds) {
    return order(conn).release(conn, eventIds);
  }

  @Override
  public Set<String> keysOf(Connection conn, Collection<String> eventIds) {
    return order(conn).keysOf(conn, eventIds);
  }

  @Override
  public Sweep sweep(Connection conn, @Nullable String after, int limit, Duration idleFor) {
    Order order = tables.apply(conn).order();
    return order == null ? new Sweep(List.of(), null) : order.sweep(conn, after, limit, idleFor);
  }

  private Order order(Connection conn) {
    return order(tables.apply(conn));
  }

  private static Order order(EventTable table) {
    Order order = table.order();
    if (order == null) {
      throw new UnsupportedOperationException(
          "orderingKey needs PostgreSQL, MariaDB, MySQL or H2; on "
              + table.dialect().product()
              + " publish the event without it");
    }
    return order;
  }
}
