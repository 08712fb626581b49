package outbox.jdbc;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.internal.util.Deadline;
import outbox.poller.OutboxPoller;

/** The poller of an engine, which begins when it is started. Thread-safe. */
final class Polling {
  private final Supplier<@Nullable OutboxPoller> factory;
  private @Nullable OutboxPoller poller;
  private boolean closed;

  /** The factory starts the poller; null means that there is nothing to poll for. */
  Polling(Supplier<@Nullable OutboxPoller> factory) {
    this.factory = factory;
  }

  synchronized void start() {
    if (closed) {
      throw new IllegalStateException("it is closed; build a new one");
    }
    if (poller == null) {
      poller = factory.get();
    }
  }

  /** Something may be stored soon by a transaction that the engine does not see. */
  void expect() {
    OutboxPoller started = current(false);
    if (started != null) {
      started.expect();
    }
  }

  /** Begins no further look. Does not block. */
  void stop() {
    OutboxPoller started = current(true);
    if (started != null) {
      started.stop();
    }
  }

  void close(Deadline deadline) {
    OutboxPoller started = current(true);
    if (started != null) {
      started.close(deadline.rest());
    }
  }

  private synchronized @Nullable OutboxPoller current(boolean forTheLastTime) {
    closed |= forTheLastTime;
    return poller;
  }
}
