package outbox.internal.text;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What users choose about the log, for the whole process as loggers are: the level of the lines
 * that come once per message, and whether messages of exceptions are written. Thread-safe.
 */
public final class LogSettings {
  /** The system property for the level of the lines per message: {@code debug} or {@code info}. */
  public static final String MESSAGES_PROPERTY = "outbox.log.messages";

  /** The system property for the messages of exceptions: {@code true} or {@code false}. */
  public static final String EXCEPTIONS_PROPERTY = "outbox.log.exception-messages";

  private static final Logger LOG = System.getLogger("outbox.log");

  private static volatile Level perMessage =
      parseLevel(System.getProperty(MESSAGES_PROPERTY, "debug"));
  private static volatile boolean exceptionMessages =
      parseSwitch(System.getProperty(EXCEPTIONS_PROPERTY, "true"));

  private LogSettings() {}

  /** The level of lines that come once per message. */
  public static Level perMessage() {
    return perMessage;
  }

  /** Sets the level of lines that come once per message. */
  public static void perMessage(Level level) {
    perMessage = level;
  }

  /** Whether the log may have the messages of a listener's exceptions, which may quote payloads. */
  public static boolean exceptionMessages() {
    return exceptionMessages;
  }

  /** Sets whether the log may have the messages of a listener's exceptions. */
  public static void exceptionMessages(boolean written) {
    exceptionMessages = written;
  }

  static Level parseLevel(String text) {
    return switch (text.trim().toLowerCase(Locale.ROOT)) {
      case "info" -> Level.INFO;
      case "debug" -> Level.DEBUG;
      default -> otherwise(MESSAGES_PROPERTY, text, "debug or info", Level.DEBUG);
    };
  }

  /** What cannot be read leaves the messages out: they may be what the user wants to hide. */
  static boolean parseSwitch(@Nullable String text) {
    return switch (String.valueOf(text).trim().toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> otherwise(EXCEPTIONS_PROPERTY, String.valueOf(text), "true or false", false);
    };
  }

  private static <T> T otherwise(String property, String text, String allowed, T used) {
    LOG.log(
        Level.WARNING,
        "system property {0} ({1}) must be {2}; {3} is used",
        property,
        LogText.of(text),
        allowed,
        used);
    return used;
  }
}
