package outbox.cli;

/** How many columns of a terminal a text takes, and how it is made to take fewer. */
final class Columns {
  private static final String ELLIPSIS = "…";

  private Columns() {}

  static int of(String text) {
    return text.codePoints().map(Columns::of).sum();
  }

  /** At most so many; what was cut off is an ellipsis. */
  static String cut(String text, int most) {
    if (of(text) <= most) {
      return text;
    }
    StringBuilder kept = new StringBuilder();
    int left = most - 1;
    for (int c : text.codePoints().toArray()) {
      left -= of(c);
      if (left < 0) {
        break;
      }
      kept.appendCodePoint(c);
    }
    return kept.toString().stripTrailing() + ELLIPSIS;
  }

  static String padded(String text, int columns, boolean right) {
    String space = " ".repeat(Math.max(0, columns - of(text)));
    return right ? space + text : text + space;
  }

  private static int of(int c) {
    int type = Character.getType(c);
    if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
      return 0;
    }
    return isWide(c) ? 2 : 1;
  }

  private static boolean isWide(int c) {
    return c >= 0x1100
        && (c <= 0x115F
            || (c >= 0x2E80 && c <= 0xA4CF)
            || (c >= 0xAC00 && c <= 0xD7A3)
            || (c >= 0xF900 && c <= 0xFAFF)
            || (c >= 0xFE30 && c <= 0xFE6F)
            || (c >= 0xFF00 && c <= 0xFF60)
            || (c >= 0x1F300 && c <= 0x1FAFF)
            || (c >= 0x20000 && c <= 0x3FFFD));
  }
}
