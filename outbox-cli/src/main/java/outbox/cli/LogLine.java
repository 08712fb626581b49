package outbox.cli;

import java.io.OutputStream;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;

/** One line for each record of the log; the trace of a failure only for those who asked for it. */
final class LogLine extends Formatter {
  private final boolean traces;

  private LogLine(boolean traces) {
    this.traces = traces;
  }

  /** Replaces the handlers that are there: Tomcat would change the format of a ConsoleHandler. */
  static void use(boolean traces) {
    Logger root = Logger.getLogger("");
    for (Handler handler : root.getHandlers()) {
      root.removeHandler(handler);
    }
    root.addHandler(to(System.err, traces));
  }

  static Handler to(OutputStream err, boolean traces) {
    return new Console(err, new LogLine(traces));
  }

  @Override
  public String format(LogRecord entry) {
    Throwable thrown = entry.getThrown();
    String failure = thrown == null ? "" : ": " + Failures.describe(thrown);
    String line = entry.getInstant() + " " + entry.getLevel() + " " + formatMessage(entry);
    return Shown.line(Secrets.hidden(line) + failure)
        + "\n"
        + (thrown == null || !traces ? "" : Failures.trace(thrown));
  }

  private static final class Console extends StreamHandler {
    private Console(OutputStream err, Formatter formatter) {
      super(err, formatter);
    }

    @Override
    public synchronized void publish(LogRecord entry) {
      super.publish(entry);
      flush();
    }

    /**
     * Leaves the stream open: the log manager closes at exit, while others say their last words.
     */
    @Override
    public synchronized void close() {
      flush();
    }
  }
}
