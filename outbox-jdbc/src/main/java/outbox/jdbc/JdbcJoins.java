package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxClient;
import outbox.dispatch.OutboxDispatcher;
import outbox.join.JoinCoordinator;
import outbox.join.JoinHousekeeping;
import outbox.join.JoinTracker;
import outbox.join.MessageInsert;
import outbox.model.MessageId;
import outbox.spi.ConnectionProvider;
import outbox.spi.StoreException;
import outbox.spi.TxContext;

/** The joins of a {@link JdbcOutbox}, wired: hook, wait handler, wake-up, housekeeping. */
final class JdbcJoins {
  /** More are cheaper to insert together, and to claim in batches. */
  private static final int MOST_PUBLISHED = 20;

  private final TxContext txContext;
  private final JoinTracker tracker;
  private final JdbcOutboxRepository events;
  private final JoinCoordinator coordinator;
  private final JoinHousekeeping housekeeping;
  private volatile @Nullable OutboxClient client;
  private volatile @Nullable Outbox outbox;

  JdbcJoins(JdbcOutbox.Builder setup, ConnectionProvider connections, TxContext txContext) {
    JdbcJoinStore store = requireNonNull(setup.joinStore);
    check(connections, store);
    this.txContext = txContext;
    this.tracker = new JoinTracker(store, txContext);
    this.events = setup.store.hooked(tracker);
    this.coordinator =
        JoinCoordinator.builder(connections, events, tracker).inserts(this::insert).build();
    this.housekeeping = new JoinHousekeeping(connections, tracker, setup.retention.joins());
    setup.listeners.register(coordinator.waitHandler());
  }

  private static void check(ConnectionProvider connections, JdbcJoinStore store) {
    try (Connection connection = connections.getConnection()) {
      store.check(connection);
    } catch (SQLException e) {
      throw new StoreException("the database cannot be reached for joins()", e);
    }
  }

  /** The events, whose ends are counted. */
  JdbcOutboxRepository events() {
    return events;
  }

  JoinHousekeeping housekeeping() {
    return housekeeping;
  }

  JoinCoordinator coordinator() {
    return coordinator;
  }

  /** The poller expects something: a join may have ended in a transaction that commits later. */
  void start(OutboxClient client, Outbox outbox, OutboxDispatcher dispatcher, Polling polling) {
    this.client = client;
    this.outbox = outbox;
    tracker.onDue(
        () -> {
          polling.expect();
          dispatcher.wakePollers();
        });
  }

  /** A few are published, and so delivered from memory, where the commit will be seen. */
  private List<MessageId> insert(Connection connection, List<EventEnvelope> messages) {
    OutboxClient publisher = client;
    Outbox queue = outbox;
    if (publisher == null || queue == null) {
      return MessageInsert.into(events).insert(connection, messages);
    }
    if (!txContext.isCurrent(connection)) {
      return ids(queue.enqueueAll(connection, messages));
    }
    return messages.size() > MOST_PUBLISHED
        ? ids(queue.enqueueAll(messages))
        : messages.stream().map(publisher::publish).map(MessageId::new).toList();
  }

  private static List<MessageId> ids(List<Outbox.Enqueued> all) {
    return all.stream().map(Outbox.Enqueued::id).toList();
  }
}
