package outbox.internal.text;

import java.util.HexFormat;

/**
 * Text from outside as it may stand in a line of a log: nothing in it ends the line, or passes for
 * another one.
 */
public final class LogText {
  private LogText() {}

  /** Returns the text with control characters and line separators written as escapes. */
  public static String of(String text) {
    return text.chars().noneMatch(LogText::breaks) ? text : escaped(text);
  }

  private static String escaped(String text) {
    StringBuilder line = new StringBuilder(text.length() + 8);
    text.chars()
        .forEach(
            c -> {
              if (breaks(c)) {
                line.append("\\u").append(HexFormat.of().toHexDigits((char) c));
              } else {
                line.append((char) c);
              }
            });
    return line.toString();
  }

  private static boolean breaks(int c) {
    return Character.isISOControl(c) || c == 0x2028 || c == 0x2029;
  }
}
