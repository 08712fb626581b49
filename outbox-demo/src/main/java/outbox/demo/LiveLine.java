package outbox.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Shows rates over the last second, and the backlog, from start to close. */
final class LiveLine implements AutoCloseable {
  private static final long REDRAW_MILLIS = 250;
  private static final long REPRINT_MILLIS = 1000;
  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Screen screen;
  private final Ledger ledger;
  private final NodeMetrics metrics;
  private final Backlog backlog;
  private final Deque<Sample> samples = new ArrayDeque<>();
  private final ScheduledExecutorService timer;

  LiveLine(Screen screen, Ledger ledger, NodeMetrics metrics, Backlog backlog) {
    this.screen = screen;
    this.ledger = ledger;
    this.metrics = metrics;
    this.backlog = backlog;
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "live-line");
              thread.setDaemon(true);
              return thread;
            });
  }

  void start() {
    samples.add(sample());
    long period = screen.isTerminal() ? REDRAW_MILLIS : REPRINT_MILLIS;
    var unused = timer.scheduleAtFixedRate(this::show, period, period, TimeUnit.MILLISECONDS);
  }

  private void show() {
    Sample now = sample();
    while (samples.size() > 1 && now.nanos - samples.getFirst().nanos > WINDOW_NANOS * 11 / 10) {
      samples.removeFirst();
    }
    screen.live(line(samples.getFirst(), now));
    samples.addLast(now);
  }

  private static String line(Sample before, Sample now) {
    double seconds = Math.max(1e-3, (now.nanos - before.nanos) / 1e9);
    return String.format(
        Locale.ROOT,
        "  published %4.0f/s  delivered %4.0f/s  pending %5d  retries %4d  dead %3d",
        (now.published - before.published) / seconds,
        (now.delivered - before.delivered) / seconds,
        now.pending,
        Math.max(0, now.failed - now.dead),
        now.dead);
  }

  private Sample sample() {
    return new Sample(
        System.nanoTime(),
        ledger.committed(),
        ledger.delivered(),
        backlog.size(),
        ledger.failed(),
        metrics.dead());
  }

  @Override
  public void close() {
    timer.shutdown();
    try {
      boolean unused = timer.awaitTermination(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    screen.live("");
  }

  private record Sample(
      long nanos, long published, long delivered, long pending, long failed, long dead) {}
}
