package outbox.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How far long work has come: a bar that moves on a terminal, a line for each tenth of the work
 * elsewhere. Thread-safe.
 */
final class Progress implements AutoCloseable {
  private static final Duration REDRAW = Duration.ofMillis(200);
  private static final Duration STALLED = Duration.ofSeconds(1);
  private static final int PARTS = 10;
  private static final int UNKNOWN_STEP = 10_000;

  private final PrintWriter out;
  private final Terminal terminal;
  private final ProgressText text;
  private final long total;
  private final @Nullable ScheduledExecutorService redraw;
  private final long started = System.nanoTime();
  private long moved = started;
  private long done;
  private long reported;

  /**
   * Begins.
   *
   * @param total 0 if it is not known
   * @param stalled what is the matter if nothing moves for a while
   */
  Progress(PrintWriter out, Terminal terminal, String what, long total, String stalled) {
    this.out = out;
    this.terminal = terminal;
    this.total = total;
    this.text = new ProgressText(what, total, stalled);
    this.redraw = terminal.showsMessages() ? redraw() : null;
  }

  private ScheduledExecutorService redraw() {
    ScheduledExecutorService timer =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread thread = new Thread(work, "outbox-progress");
              thread.setDaemon(true);
              return thread;
            });
    var unused = timer.scheduleAtFixedRate(this::draw, 0, REDRAW.toMillis(), TimeUnit.MILLISECONDS);
    return timer;
  }

  synchronized void at(long number) {
    done = number;
    moved = System.nanoTime();
    if (redraw == null && reaches(number)) {
      reported = number;
      out.println(text.line(number, elapsed()));
    }
  }

  private boolean reaches(long number) {
    long step = total == 0 ? UNKNOWN_STEP : Math.max(1, total / PARTS);
    return number / step > reported / step;
  }

  private synchronized void draw() {
    boolean waiting = System.nanoTime() - moved > STALLED.toNanos();
    out.print("\r" + text.bar(done, elapsed(), waiting, terminal.columns() - 1) + "\033[K");
    out.flush();
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - started);
  }

  /** Leaves the last state on the screen. */
  @Override
  public void close() {
    if (redraw != null) {
      redraw.shutdownNow();
      synchronized (this) {
        moved = System.nanoTime();
        draw();
        out.println();
      }
    }
  }
}
