package outbox;

import java.time.Duration;

/** What a handler may ask and do while it runs. Thread-safe, so that its own threads may use it. */
public interface HandlerContext {

  /**
   * Whether to stop: the process shuts down, the lease is lost, or the longest handling time is
   * over. The thread is interrupted then, too.
   */
  boolean isCancelled();

  /**
   * Runs the action on cancellation, once, on a thread of its own; at once and here if it is
   * cancelled already; never after the handler has ended.
   */
  void onCancel(Runnable action);

  /** How long the lease still runs; zero if it is over. It is renewed without being asked to. */
  Duration leaseRemaining();

  /**
   * Asks the database to renew the lease now, before something that must not happen twice. Takes a
   * connection for a statement; what the database throws reaches the caller.
   *
   * @return false if it could not be renewed, because another worker has the message or the longest
   *     handling time is over: the handler should stop
   */
  boolean renewLease();
}
