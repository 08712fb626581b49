package outbox.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import outbox.internal.util.Pause;

/** Single keys, and a screen of its own that leaves what was there before untouched. */
final class SystemKeys implements Terminal.Keys {
  private static final String OTHER_SCREEN = "\033[?1049h\033[?25l\033[2J";
  private static final String FORMER_SCREEN = "\033[?25h\033[?1049l";
  private static final Duration LOOK = Duration.ofMillis(50);

  private final PrintWriter out;
  private final String before = SystemTerminal.stty("-g");
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Thread atExit = new Thread(this::restore, "outbox-terminal");

  SystemKeys(PrintWriter out) {
    this.out = out;
    Runtime.getRuntime().addShutdownHook(atExit);
    SystemTerminal.stty("-icanon", "-echo", "min", "1");
    out.print(OTHER_SCREEN);
    out.flush();
  }

  @Override
  public char next(Duration within) {
    long end = System.nanoTime() + within.toNanos();
    try {
      while (System.in.available() == 0) {
        if (System.nanoTime() - end >= 0) {
          return NONE;
        }
        Pause.of(LOOK);
      }
      return (char) Math.max(NONE, System.in.read());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    restore();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException ignored) {
      // The process ends already; the hook has nothing left to do.
    }
  }

  private void restore() {
    if (closed.compareAndSet(false, true)) {
      out.print(FORMER_SCREEN);
      out.flush();
      if (!before.isEmpty()) {
        SystemTerminal.stty(before);
      }
    }
  }
}
