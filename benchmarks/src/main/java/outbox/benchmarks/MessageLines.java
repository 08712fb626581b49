package outbox.benchmarks;

import java.util.logging.Level;
import java.util.logging.Logger;

/** The log lines that come once per message, which whoever measures or is busy turns off. */
final class MessageLines {
  /** Held on to: the log manager forgets the level of a logger without references. */
  private static final Logger MESSAGES = Logger.getLogger("outbox.messages");

  private MessageLines() {}

  static void turnOff() {
    MESSAGES.setLevel(Level.OFF);
  }
}
