package outbox.admin;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * Who did what, one line each on a logger of its own, never with a payload. What came from outside
 * is in quotes and has no line breaks, so that no input can forge a line.
 */
final class ActionLog {
  static final String LOGGER = "outbox.admin.actions";

  /** Room for a whole reason, and for a filter with some long values. */
  private static final int MAX_VALUE = 4 * EventCalls.MAX_REASON;

  private final Logger log = System.getLogger(LOGGER);

  /** Something was done, or begun. */
  void done(Caller caller, String action, @Nullable Object... namesAndValues) {
    StringBuilder line = new StringBuilder("OUTBOX_ADMIN_ACTION user=");
    quote(caller.name(), line);
    line.append(" action=").append(action);
    for (int i = 0; i < namesAndValues.length; i += 2) {
      Object value = namesAndValues[i + 1];
      if (value != null) {
        line.append(' ').append(namesAndValues[i]).append('=');
        if (value instanceof Number) {
          line.append(value);
        } else {
          quote(value.toString(), line);
        }
      }
    }
    log.log(Level.INFO, line.toString());
  }

  /** Something was refused because of who asked, or from where. */
  void refused(@Nullable Caller caller, String from, int status, String method, String path) {
    StringBuilder line = new StringBuilder("OUTBOX_ADMIN_REFUSED user=");
    quote(caller == null ? "" : caller.name(), line);
    line.append(" status=").append(status).append(" from=");
    quote(from, line);
    line.append(" method=");
    quote(method, line);
    line.append(" path=");
    quote(path, line);
    log.log(Level.WARNING, line.toString());
  }

  /** Too many wrong tokens came from an address, or in all. */
  void throttled(String from, int wrong, int inAll) {
    StringBuilder line = new StringBuilder("OUTBOX_ADMIN_THROTTLED from=");
    quote(from, line);
    line.append(" wrongTokens=").append(wrong).append(" inAll=").append(inAll);
    log.log(Level.WARNING, line.toString());
  }

  private static void quote(String value, StringBuilder line) {
    line.append('"');
    String shown = value.length() <= MAX_VALUE ? value : value.substring(0, MAX_VALUE) + "…";
    shown
        .chars()
        .map(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029 ? ' ' : c)
        .map(c -> c == '"' ? '\'' : c)
        .forEach(c -> line.append((char) c));
    line.append('"');
  }
}
