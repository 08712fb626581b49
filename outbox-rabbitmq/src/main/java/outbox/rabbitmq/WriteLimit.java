package outbox.rabbitmq;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs an action unless it is ended in time: a write to a broker that does not read blocks, and
 * nothing but the end of its connection ends it.
 */
final class WriteLimit {
  private static final ScheduledThreadPoolExecutor TIMER = timer();

  private final ScheduledFuture<?> action;

  private WriteLimit(ScheduledFuture<?> action) {
    this.action = action;
  }

  static WriteLimit of(Duration limit, Runnable action) {
    return new WriteLimit(TIMER.schedule(action, limit.toNanos(), TimeUnit.NANOSECONDS));
  }

  void end() {
    action.cancel(false);
  }

  private static ScheduledThreadPoolExecutor timer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "outbox-rabbitmq-timer");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(10, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
    return timer;
  }
}
