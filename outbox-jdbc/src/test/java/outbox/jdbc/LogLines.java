package outbox.jdbc;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** The messages that the library logs while this is open. */
final class LogLines extends Handler implements AutoCloseable {
  private final Logger logger = Logger.getLogger("outbox");
  private final Level before = logger.getLevel();
  private final List<LogRecord> records = new CopyOnWriteArrayList<>();

  private LogLines() {}

  static LogLines open() {
    LogLines log = new LogLines();
    log.setLevel(Level.ALL);
    log.logger.setLevel(Level.ALL);
    log.logger.addHandler(log);
    return log;
  }

  /** Those of a level, and of the levels above it. */
  List<String> from(Level level) {
    SimpleFormatter formatter = new SimpleFormatter();
    return records.stream()
        .filter(record -> record.getLevel().intValue() >= level.intValue())
        .map(formatter::formatMessage)
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
