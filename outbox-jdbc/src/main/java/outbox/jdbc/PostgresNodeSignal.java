package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import outbox.OutboxConfig;
import outbox.internal.util.Deadline;
import outbox.jdbc.internal.dialect.TableName;
import outbox.spi.ConnectionProvider;
import outbox.spi.NodeSignal;

/**
 * Wakes other nodes through PostgreSQL's LISTEN and NOTIFY, on one connection of its own that it
 * holds from its first use to {@link #close}. Notifications are sent after the business
 * transaction, at most one every 5 ms. When the connection is lost it makes a new one by itself.
 *
 * <p>Behind a pooler in transaction mode notifications do not arrive; give it a direct connection.
 */
public final class PostgresNodeSignal implements NodeSignal {
  private final ConnectionProvider connectionProvider;
  private final String channel;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
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
  public void listen(Runnable onSignal) {
    listeners.add(requireNonNull(onSignal, "onSignal"));
    if (running() == null) {
      throw new IllegalStateException("the signal is closed; make a new one");
    }
  }

  @Override
  public void send() {
    SignalLoop current = running();
    if (current != null) {
      current.send();
    }
  }

  /** Ends the exchange with other nodes. Does not block. */
  synchronized void stop() {
    closed = true;
    if (loop != null) {
      loop.stop();
    }
  }

  @Override
  public void close() {
    close(Deadline.in(new OutboxConfig().getCloseTimeout()));
  }

  void close(Deadline deadline) {
    stop();
    SignalLoop current;
    synchronized (this) {
      current = loop;
    }
    if (current != null) {
      current.awaitEnd(deadline);
    }
  }

  /** The loop, started by its first user; null once closed. */
  private synchronized @Nullable SignalLoop running() {
    if (closed) {
      return null;
    }
    if (loop == null) {
      loop = new SignalLoop(connectionProvider, channel, () -> listeners.forEach(Runnable::run));
      loop.start();
    }
    return loop;
  }
}
