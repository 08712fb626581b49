package outbox.spring.boot;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcInbox;

/** The inbox, which begins to exist when something needs it. Thread-safe. */
final class LazyInbox implements AutoCloseable {
  private final Supplier<JdbcInbox> factory;
  private @Nullable JdbcInbox inbox;
  private boolean running;

  LazyInbox(Supplier<JdbcInbox> factory) {
    this.factory = factory;
  }

  synchronized JdbcInbox get() {
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

  @Override
  public void close() {
    JdbcInbox made = inbox();
    if (made != null) {
      made.close();
    }
  }

  private synchronized @Nullable JdbcInbox inbox() {
    return inbox;
  }
}
