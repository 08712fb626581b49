package outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxClient;
import outbox.PayloadCodec;
import outbox.join.JoinCoordinator;
import outbox.join.JoinHousekeeping;
import outbox.join.JoinTracker;
import outbox.join.MessageInsert;
import outbox.model.MessageId;
import outbox.spi.ConnectionProvider;
import outbox.spi.StoreException;
import outbox.spi.TxContext;

/** The joins of one database, wired: hook, wait handler, wake-up, housekeeping. Thread-safe. */
final class JdbcJoins {
  /** More are cheaper to insert together, and to claim in batches. */
  private static final int MOST_PUBLISHED = 20;

  private final TxContext txContext;
  private final JoinTracker tracker;
  private final JdbcOutboxRepository events;
  private final JoinCoordinator coordinator;
  private volatile @Nullable Publishing publishing;
  private volatile Runnable wakeUp = () -> {};

  /**
   * Joins of the messages in a store; asks the database nothing yet.
   *
   * @param connections those of the application
   */
  JdbcJoins(
      JdbcJoinStore store,
      JdbcOutboxRepository events,
      ConnectionProvider connections,
      TxContext txContext,
      PayloadCodec codec) {
    this.txContext = txContext;
    this.tracker = new JoinTracker(store, txContext);
    this.events = events.withJoins(store).hooked(tracker);
    this.coordinator =
        JoinCoordinator.builder(connections, this.events, tracker)
            .inserts(this::insert)
            .waitTopic(store.waitTopic())
            .codec(codec)
            .build();
  }

  /** Refuses a database without the tables of joins. */
  void check(ConnectionProvider connections) {
    try (Connection connection = connections.getConnection()) {
      events.check(connection);
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

  /** Fails joins past their deadline and deletes those that ended longer ago than this. */
  JoinHousekeeping housekeeping(ConnectionProvider connections, @Nullable Duration retention) {
    return new JoinHousekeeping(connections, tracker, retention);
  }

  /** Whether the connection is that of the thread's transaction on this database. */
  boolean isCurrent(Connection connection) {
    return txContext.isCurrent(connection);
  }

  /**
   * Sets what to run when messages may be due: also before the commit of a transaction that is not
   * seen here, so it looks at once and again.
   */
  void onDue(Runnable wakeUp) {
    this.wakeUp = wakeUp;
    tracker.onDue(wakeUp);
  }

  /** Lets a few steps and continuations be delivered from memory. */
  void publishBy(OutboxClient client, Outbox outbox) {
    this.publishing = new Publishing(client, outbox);
  }

  private List<MessageId> insert(Connection connection, List<EventEnvelope> messages) {
    Publishing by = publishing;
    if (by != null) {
      return by.insert(connection, messages, txContext.isCurrent(connection));
    }
    List<MessageId> ids = MessageInsert.into(events).insert(connection, messages);
    if (txContext.isCurrent(connection)) {
      txContext.afterCommit(wakeUp);
    } else {
      wakeUp.run();
    }
    return ids;
  }

  private record Publishing(OutboxClient client, Outbox outbox) {

    /** A few are published, and so delivered from memory, where the commit will be seen. */
    List<MessageId> insert(Connection connection, List<EventEnvelope> messages, boolean isCurrent) {
      if (!isCurrent) {
        return ids(outbox.enqueueAll(connection, messages));
      }
      return messages.size() > MOST_PUBLISHED
          ? ids(outbox.enqueueAll(messages))
          : messages.stream().map(client::publish).map(MessageId::new).toList();
    }

    private static List<MessageId> ids(List<Outbox.Enqueued> all) {
      return all.stream().map(Outbox.Enqueued::id).toList();
    }
  }
}
