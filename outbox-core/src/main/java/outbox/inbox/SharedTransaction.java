package outbox.inbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;

/**
 * Lets calls of the inbox's store and of the work queue on its events share one transaction: what
 * the thread calls within {@link #run} gets the transaction's connection. Everything else gets a
 * connection of its own. Thread-safe.
 */
final class SharedTransaction implements ConnectionProvider {
  private final ConnectionProvider connections;
  private final LeasedEventStore events;

  /** One for each inbox: a transaction of one is none of another. */
  @SuppressWarnings("ThreadLocalUsage")
  private final ThreadLocal<@Nullable Connection> current = new ThreadLocal<>();

  SharedTransaction(ConnectionProvider connections, LeasedEventStore events) {
    this.connections = connections;
    this.events = events;
  }

  /** Runs the work as one transaction, and again after a deadlock or a serialization failure. */
  <T> T run(Supplier<T> work) {
    return connections.inAutoCommit(
        connection ->
            events.inTransaction(
                connection,
                () -> {
                  current.set(connection);
                  try {
                    return work.get();
                  } finally {
                    current.remove();
                  }
                }));
  }

  @Override
  public Connection getConnection() throws SQLException {
    return connections.getConnection();
  }

  @Override
  public <T> T inAutoCommit(Function<Connection, T> work) {
    @Nullable Connection shared = current.get();
    return shared == null ? connections.inAutoCommit(work) : work.apply(shared);
  }
}
