package outbox.jdbc.internal.store;

import org.jspecify.annotations.Nullable;

/** Makes an error message fit its column. */
public final class ErrorText {
  private static final char REPLACEMENT = '\uFFFD';

  private ErrorText() {}

  /** Cuts between code points and replaces what no text column can hold. */
  public static @Nullable String fit(@Nullable String error, int maxLength) {
    return error == null ? null : fitting(error, maxLength);
  }

  static String fitting(String error, int maxLength) {
    StringBuilder text = new StringBuilder(Math.min(error.length(), maxLength));
    for (int i = 0; i < error.length(); ) {
      int point = error.codePointAt(i);
      int width = Character.charCount(point);
      if (text.length() + width > maxLength) {
        break;
      }
      boolean storable = point != 0 && !(width == 1 && Character.isSurrogate((char) point));
      text.appendCodePoint(storable ? point : REPLACEMENT);
      i += width;
    }
    return text.toString();
  }
}
