package outbox.spring.boot;

import org.springframework.context.SmartLifecycle;
import outbox.jdbc.JdbcOutbox;

/**
 * Starts to handle events when all beans are there, and stops after the web server and before the
 * connection pool: nothing new is taken, what is queued is worked off, the last outcomes are
 * stored.
 */
final class OutboxLifecycle implements SmartLifecycle {
  /** Below the web server's graceful shutdown (-1024) and stop (-2048). */
  static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 4096;

  private final JdbcOutbox outbox;
  private final LazyInbox inbox;
  private volatile boolean running;

  OutboxLifecycle(JdbcOutbox outbox, LazyInbox inbox) {
    this.outbox = outbox;
    this.inbox = inbox;
  }

  @Override
  public void start() {
    outbox.start();
    inbox.start();
    running = true;
  }

  /** The inbox first: its handlers publish. */
  @Override
  public void stop() {
    running = false;
    inbox.close();
    outbox.close();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** An engine that was stopped does not start again. */
  @Override
  public boolean isPauseable() {
    return false;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
