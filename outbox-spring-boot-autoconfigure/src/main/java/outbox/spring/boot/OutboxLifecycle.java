package outbox.spring.boot;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.context.SmartLifecycle;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcOutbox;

/**
 * Starts to handle events when all beans are there, and stops after the web server and before the
 * connection pool: nothing new is taken, what is queued is worked off, the last outcomes are
 * stored.
 */
final class OutboxLifecycle implements SmartLifecycle {
  /** Below the web server's graceful shutdown (-1024) and stop (-2048). */
  static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 4096;

  private final Outboxes outboxes;
  private final LazyInbox inbox;
  private volatile List<Runnable> closings = List.of();
  private volatile boolean running;

  OutboxLifecycle(Outboxes outboxes, LazyInbox inbox) {
    this.outboxes = outboxes;
    this.inbox = inbox;
  }

  @Override
  public void start() {
    Collection<JdbcOutbox> allOutboxes = outboxes.all();
    Collection<JdbcInbox> furtherInboxes = outboxes.inboxes();
    List<Runnable> all = new ArrayList<>(List.of(inbox::close));
    allOutboxes.forEach(each -> all.add(each::close));
    furtherInboxes.forEach(each -> all.add(each::close));
    closings = List.copyOf(all);
    allOutboxes.forEach(JdbcOutbox::start);
    furtherInboxes.forEach(JdbcInbox::start);
    inbox.start();
    running = true;
  }

  /**
   * All at once: one after the other, their drain timeouts would add up. What a handler of an inbox
   * publishes to an outbox that is closed already waits in the database.
   */
  @Override
  public void stop() {
    running = false;
    CompletableFuture<?>[] ends =
        closings.stream()
            .map(closing -> CompletableFuture.runAsync(closing, OutboxLifecycle::inThread))
            .toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(ends).join();
  }

  private static void inThread(Runnable task) {
    Thread thread = new Thread(task, "outbox-shutdown");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** An engine that was stopped does not start again. Spring Framework 7 asks; 6.2 does not. */
  public boolean isPauseable() {
    return false;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
