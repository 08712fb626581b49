package outbox.jdbc;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.internal.util.Deadline;
import outbox.poller.OutboxPoller;

/** The poller of an engine, which begins when it is started. Thread-safe. */
final class Polling {
  private final StartLog log;
  private final Supplier<@Nullable OutboxPoller> factory;
  private @Nullable OutboxPoller poller;
  private boolean started;
  private boolean closed;

  /** The factory starts the poller; null means that there is nothing to poll for. */
  Polling(StartLog log, Supplier<@Nullable OutboxPoller> factory) {
    this.log = log;
    this.factory = factory;
  }

  synchronized void start() {
    if (closed) {
      throw new IllegalStateException("it is closed; build a new one");
    }
    if (poller == null) {
      poller = factory.get();
    }
    if (!started) {
      started = true;
      log.started();
    }
  }

  /** Something may be stored soon by a transaction that the engine does not see. */
  void expect() {
    OutboxPoller poller = current(false);
    if (poller != null) {
      poller.expect();
    }
  }

  /** Begins no further look. Does not block. */
  void stop() {
    OutboxPoller poller = current(true);
    if (poller != null) {
      poller.stop();
    }
  }

  void close(Deadline deadline) {
    OutboxPoller poller = current(true);
    if (poller != null) {
      poller.close(deadline.rest());
    }
    tellTheEnd();
  }

  private synchronized void tellTheEnd() {
    if (started) {
      started = false;
      log.closed();
    }
  }

  private synchronized @Nullable OutboxPoller current(boolean forTheLastTime) {
    closed |= forTheLastTime;
    return poller;
  }
}
