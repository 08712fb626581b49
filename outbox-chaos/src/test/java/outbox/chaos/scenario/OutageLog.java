package outbox.chaos.scenario;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What the outbox logs at INFO and above while this is open. */
final class OutageLog extends Handler implements AutoCloseable {
  private final Logger logger = Logger.getLogger("outbox");
  private final List<String> messages = new CopyOnWriteArrayList<>();

  OutageLog() {
    setLevel(Level.INFO);
    logger.addHandler(this);
  }

  long outages() {
    return count("database unavailable");
  }

  long recoveries() {
    return count("database available again");
  }

  private long count(String start) {
    return messages.stream().filter(message -> message.startsWith(start)).count();
  }

  @Override
  public void publish(LogRecord record) {
    messages.add(record.getMessage());
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
  }

  @Override
  public String toString() {
    return String.join("\n", messages);
  }
}
