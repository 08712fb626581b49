package outbox.spring.boot;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcInbox;

/** The inbox, which begins to exist when something needs it. Thread-safe. */
public final class LazyInbox implements AutoCloseable {
  private final Supplier<JdbcInbox> factory;
  private @Nullable JdbcInbox inbox;
  private boolean running;
  private boolean closed;

  LazyInbox(Supplier<JdbcInbox> factory) {
    this.factory = factory;
  }

  /** An inbox that began after the end would never be closed. */
  synchronized JdbcInbox get() {
    if (inbox == null && closed) {
      throw new IllegalStateException("the application is shutting down; its inbox is closed");
    }
    if (inbox == null) {
      inbox = factory.get();
      if (running) {
        inbox.start();
      }
    }
    return inbox;
  }

  synchronized void start() {
    running = true;
    if (inbox != null) {
      inbox.start();
    }
  }

  /** Lets it look for messages at once, if there is one to look. */
  void wake() {
    JdbcInbox made = made();
    if (made != null) {
      made.wake();
    }
  }

  /** Returns the inbox if something has needed it; null before. */
  public synchronized @Nullable JdbcInbox made() {
    return inbox;
  }

  /** Not under the lock: callers of {@link #made} need not wait for the inbox to drain. */
  @Override
  public void close() {
    JdbcInbox made = end();
    if (made != null) {
      made.close();
    }
  }

  private synchronized @Nullable JdbcInbox end() {
    closed = true;
    return inbox;
  }
}
