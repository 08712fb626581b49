package outbox.internal.text;

import java.util.function.Supplier;

/**
 * What a text column of every database of this library can hold. Messages name the field and the
 * rule, no content.
 */
public final class StorableText {
  private StorableText() {}

  /** The value, if it has at most so many characters and is valid Unicode without NUL. */
  public static String atMost(String field, String value, int maxLength) {
    if (value.length() > maxLength) {
      throw new IllegalArgumentException(
          field + " (" + value.length() + " characters) must not exceed " + maxLength);
    }
    utf8Length(field, value);
    return value;
  }

  /** Counts without encoding, and refuses what UTF-8 or a text column cannot hold. */
  public static long utf8Length(String field, String value) {
    return utf8Length(() -> field, value);
  }

  /**
   * As {@link #utf8Length(String, String)}; the supplier makes the field's name on failure only.
   */
  public static long utf8Length(Supplier<String> field, String value) {
    long length = value.length();
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c >= 0x80) {
        length += c < 0x800 ? 1 : 2;
        if (Character.isSurrogate(c)) {
          boolean pair =
              Character.isHighSurrogate(c)
                  && i + 1 < value.length()
                  && Character.isLowSurrogate(value.charAt(i + 1));
          if (!pair) {
            throw new IllegalArgumentException(
                field.get()
                    + " has an unpaired surrogate at index "
                    + i
                    + "; it is no valid Unicode");
          }
          i++;
        }
      } else if (c == 0) {
        throw new IllegalArgumentException(
            field.get()
                + " has a NUL character at index "
                + i
                + ", which no text column can store");
      }
    }
    return length;
  }
}
