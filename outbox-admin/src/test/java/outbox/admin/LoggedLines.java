package outbox.admin;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** What a logger is told during a test. */
final class LoggedLines extends Handler implements BeforeEachCallback, AfterEachCallback {
  final List<String> all = new CopyOnWriteArrayList<>();
  private final Logger logger;

  LoggedLines(String logger) {
    this.logger = Logger.getLogger(logger);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    logger.addHandler(this);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    logger.removeHandler(this);
  }

  @Override
  public void publish(LogRecord line) {
    all.add(line.getMessage());
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
