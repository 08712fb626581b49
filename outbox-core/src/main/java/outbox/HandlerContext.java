package outbox;

import java.time.Duration;

/** What a handler may ask and do while it runs. Thread-safe, so that its own threads may use it. */
public interface HandlerContext {

  /**
   * Whether to stop: the process shuts down, the lease is lost, or the longest handling time is
   * over. The thread is interrupted then, too.
   */
  boolean isCancelled();

  /** Runs the action on cancellation, once; at once if it is cancelled already. */
  void onCancel(Runnable action);

  /** How long the lease still runs; zero if it is over. It is renewed without being asked to. */
  Duration leaseRemaining();

  /**
   * Renews the lease now, before something that must not happen twice.
   *
   * @return false if it is lost: somebody else has the message, and the handler should stop
   */
  boolean renewLease();
}
