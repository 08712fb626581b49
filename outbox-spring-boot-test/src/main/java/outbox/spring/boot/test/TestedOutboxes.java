package outbox.spring.boot.test;

import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.SmartLifecycle;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcOutbox;
import outbox.spring.boot.LazyInbox;

/**
 * The outboxes and inboxes of the application. Pauses them before the application starts them, so
 * that nothing runs before the test says so.
 */
final class TestedOutboxes implements SmartLifecycle {
  private static final String OWN = "jdbcOutbox";

  private final ListableBeanFactory beans;
  private final LazyInbox inbox;
  private volatile boolean running;

  TestedOutboxes(ListableBeanFactory beans, LazyInbox inbox) {
    this.beans = beans;
    this.inbox = inbox;
  }

  /** The application's own outbox, beside those that were added by hand. */
  JdbcOutbox own() {
    return beans.containsBean(OWN)
        ? beans.getBean(OWN, JdbcOutbox.class)
        : beans.getBean(JdbcOutbox.class);
  }

  /** Whether something of the application uses its inbox. */
  boolean hasInbox() {
    return inbox.made() != null;
  }

  /** Outboxes first: their listeners may fill the inboxes. */
  List<OutboxDispatcher> dispatchers() {
    List<OutboxDispatcher> all = new ArrayList<>();
    beans.getBeansOfType(JdbcOutbox.class).values().forEach(outbox -> all.add(outbox.dispatcher()));
    beans
        .getBeansOfType(JdbcInbox.class, true, false)
        .values()
        .forEach(each -> all.add(each.dispatcher()));
    JdbcInbox made = inbox.made();
    if (made != null && !all.contains(made.dispatcher())) {
      all.add(made.dispatcher());
    }
    return all;
  }

  void pause() {
    dispatchers().forEach(OutboxDispatcher::pause);
  }

  @Override
  public void start() {
    pause();
    running = true;
  }

  @Override
  public void stop() {
    running = false;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Before everything else: the outbox itself starts in a late phase. */
  @Override
  public int getPhase() {
    return Integer.MIN_VALUE;
  }
}
