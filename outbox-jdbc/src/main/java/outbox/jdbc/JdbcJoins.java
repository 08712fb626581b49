package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxClient;
import outbox.dispatch.OutboxDispatcher;
import outbox.join.JoinCoordinator;
import outbox.join.JoinHousekeeping;
import outbox.join.JoinTracker;
import outbox.model.MessageId;
import outbox.spi.ConnectionProvider;
import outbox.spi.StoreException;
import outbox.spi.TxContext;

/** The joins of a {@link JdbcOutbox}, wired: hook, wait handler, wake-up, housekeeping. */
final class JdbcJoins implements AutoCloseable {
  private static final Duration HOUSEKEEPING_INTERVAL = Duration.ofMinutes(1);

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
    this.housekeeping = new JoinHousekeeping(connections, tracker, setup.joinRetention);
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

  JoinCoordinator coordinator() {
    return coordinator;
  }

  void start(OutboxClient client, Outbox outbox, OutboxDispatcher dispatcher) {
    this.client = client;
    this.outbox = outbox;
    tracker.onDue(dispatcher::wakePollers);
    housekeeping.start(HOUSEKEEPING_INTERVAL);
  }

  /** Published, and so delivered from memory, where the commit will be seen; else enqueued. */
  private MessageId insert(Connection connection, EventEnvelope message) {
    OutboxClient publisher = client;
    Outbox queue = outbox;
    if (publisher == null || queue == null) {
      return new MessageId(events.insert(connection, message, null).orElse(message.eventId()));
    }
    return isOfThisThread(connection)
        ? new MessageId(publisher.publish(message))
        : queue.enqueue(connection, message).id();
  }

  private boolean isOfThisThread(Connection connection) {
    try {
      return txContext.isTransactionActive()
          && connection.unwrap(Connection.class) == txContext.currentConnection();
    } catch (SQLException e) {
      return false;
    }
  }

  @Override
  public void close() {
    housekeeping.close();
  }
}
