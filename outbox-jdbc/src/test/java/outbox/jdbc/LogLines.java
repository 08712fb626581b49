package outbox.jdbc;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** The lines that the library logs while this is open, whatever their level. */
final class LogLines extends Handler implements AutoCloseable {
  private final Logger logger = Logger.getLogger("outbox");
  private final Level before = logger.getLevel();
  private final List<String> lines = new CopyOnWriteArrayList<>();

  private LogLines() {}

  static LogLines open() {
    LogLines log = new LogLines();
    log.setLevel(Level.ALL);
    log.logger.setLevel(Level.ALL);
    log.logger.addHandler(log);
    return log;
  }

  boolean contain(String text) {
    return lines.stream().anyMatch(line -> line.contains(text));
  }

  @Override
  public void publish(LogRecord record) {
    lines.add(new SimpleFormatter().format(record));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setLevel(before);
  }
}
