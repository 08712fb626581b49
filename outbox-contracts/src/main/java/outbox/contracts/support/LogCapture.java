package outbox.contracts.support;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Collects what is logged below a name while it is open. */
public final class LogCapture extends Handler implements AutoCloseable {
  private final Logger logger;
  private final Level before;
  private final List<LogRecord> records = new CopyOnWriteArrayList<>();

  private LogCapture(Logger logger) {
    this.logger = logger;
    this.before = logger.getLevel();
  }

  public static LogCapture of(String name) {
    LogCapture capture = new LogCapture(Logger.getLogger(name));
    capture.setLevel(Level.ALL);
    capture.logger.setLevel(Level.ALL);
    capture.logger.addHandler(capture);
    return capture;
  }

  public List<String> errors() {
    return lines(Level.SEVERE::equals);
  }

  public List<String> warnings() {
    return lines(Level.WARNING::equals);
  }

  public List<String> infos() {
    return lines(Level.INFO::equals);
  }

  public List<String> debugs() {
    return lines(Level.FINE::equals);
  }

  public List<String> all() {
    return lines(level -> true);
  }

  /**
   * Returns each record as its level and its whole text, such as {@code INFO claimed count=1}: to
   * be compared with equals, so that neither an id nor another line can stand in for the one meant.
   */
  public List<String> entries() {
    SimpleFormatter formatter = new SimpleFormatter();
    return records.stream()
        .map(record -> record.getLevel() + " " + formatter.formatMessage(record))
        .toList();
  }

  private List<String> lines(Predicate<Level> levels) {
    SimpleFormatter formatter = new SimpleFormatter();
    return records.stream()
        .filter(record -> levels.test(record.getLevel()))
        .map(formatter::format)
        .toList();
  }

  @Override
  public void publish(LogRecord record) {
    records.add(record);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setLevel(before);
  }
}
