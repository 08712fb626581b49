package outbox.rabbitmq;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One connection that is opened again when it is lost, and its channels. Thread-safe. */
final class Publishers implements AutoCloseable {
  private static final int CLOSE_MILLIS = 2_000;

  private final ConnectionFactory factory;
  private final Queue<PublishChannel> idle = new ConcurrentLinkedQueue<>();
  private volatile boolean blocked;
  private @Nullable Connection connection;
  private boolean closed;

  Publishers(ConnectionFactory given, Duration limit) {
    this.factory = given.clone();
    // The outbox tries again by itself, with a connection that is known to be new.
    factory.setAutomaticRecoveryEnabled(false);
    int millis = (int) Math.min(Integer.MAX_VALUE, limit.toMillis());
    factory.setChannelRpcTimeout(millis);
    factory.setConnectionTimeout(Math.min(factory.getConnectionTimeout(), millis));
    factory.setHandshakeTimeout(Math.min(factory.getHandshakeTimeout(), millis));
  }

  /** A channel for one batch; the caller gives it back or discards it. */
  PublishChannel take() throws IOException, TimeoutException {
    for (PublishChannel channel = idle.poll(); channel != null; channel = idle.poll()) {
      if (channel.isOpen()) {
        return channel;
      }
    }
    return PublishChannel.open(open());
  }

  void giveBack(PublishChannel channel) {
    idle.add(channel);
  }

  /** Whether the broker has said that it takes nothing for now, such as when it lacks memory. */
  boolean isBlocked() {
    return blocked;
  }

  private synchronized Connection open() throws IOException, TimeoutException {
    if (closed) {
      throw new IOException("the forwarder is closed");
    }
    Connection current = connection;
    if (current == null || !current.isOpen()) {
      blocked = false;
      current = factory.newConnection("outbox-forwarder");
      current.addBlockedListener(reason -> blocked = true, () -> blocked = false);
      connection = current;
    }
    return current;
  }

  /** Ends the connection of a channel whose confirms are late or which is stuck in a write. */
  void abandon(PublishChannel channel) {
    channel.connection().abort(CLOSE_MILLIS);
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (connection != null) {
      connection.abort(CLOSE_MILLIS);
    }
  }
}
