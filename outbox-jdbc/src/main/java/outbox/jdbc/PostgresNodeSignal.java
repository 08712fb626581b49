package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;
import outbox.spi.NodeSignal;

/**
 * Wakes other nodes through PostgreSQL's LISTEN and NOTIFY, on one connection of its own that it
 * holds from {@link #listen} to {@link #close}. Notifications are sent after the business
 * transaction, at most one every 5 ms. When the connection is lost it makes a new one by itself.
 *
 * <p>Behind a pooler in transaction mode notifications do not arrive; give it a direct connection.
 */
public final class PostgresNodeSignal implements NodeSignal {
  private final ConnectionProvider connectionProvider;
  private final String channel;
  private @Nullable SignalLoop loop;
  private boolean closed;

  /** For the nodes that share the default table. */
  public PostgresNodeSignal(ConnectionProvider connectionProvider) {
    this(connectionProvider, TableName.DEFAULT.toString());
  }

  /** For the nodes that share the given table. */
  public PostgresNodeSignal(ConnectionProvider connectionProvider, String tableName) {
    this.connectionProvider = requireNonNull(connectionProvider, "connectionProvider");
    this.channel = TableName.of(tableName).name().toLowerCase(Locale.ROOT) + "_signal";
  }

  @Override
  public synchronized void listen(Runnable onSignal) {
    requireNonNull(onSignal, "onSignal");
    if (closed) {
      throw new IllegalStateException("the signal is closed; make a new one");
    }
    if (loop != null) {
      throw new IllegalStateException("the signal is listening already");
    }
    loop = new SignalLoop(connectionProvider, channel, onSignal);
    loop.start();
  }

  @Override
  public void send() {
    SignalLoop current = current();
    if (current != null) {
      current.send();
    }
  }

  @Override
  public void close() {
    SignalLoop current;
    synchronized (this) {
      closed = true;
      current = loop;
      loop = null;
    }
    if (current != null) {
      current.stop();
    }
  }

  private synchronized @Nullable SignalLoop current() {
    return loop;
  }
}
