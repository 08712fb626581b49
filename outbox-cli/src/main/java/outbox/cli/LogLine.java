package outbox.cli;

import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** One line for each record of the log; the trace of a failure only for those who asked for it. */
final class LogLine extends Formatter {
  private final boolean traces;

  private LogLine(boolean traces) {
    this.traces = traces;
  }

  static void use(boolean traces) {
    for (Handler handler : Logger.getLogger("").getHandlers()) {
      handler.setFormatter(new LogLine(traces));
    }
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
}
