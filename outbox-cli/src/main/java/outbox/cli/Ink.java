package outbox.cli;

/** How a text is set off from others on a terminal that shows it. */
enum Ink {
  PLAIN(""),
  STRONG("1"),
  FAINT("2"),
  GOOD("32"),
  WARNING("33"),
  BAD("31");

  private final String code;

  Ink(String code) {
    this.code = code;
  }

  String on(String text) {
    return code.isEmpty() || text.isEmpty() ? text : "\033[" + code + "m" + text + "\033[0m";
  }
}
