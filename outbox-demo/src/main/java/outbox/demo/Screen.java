package outbox.demo;

import java.io.PrintStream;

/**
 * Prints text above one live line. On a terminal the live line is redrawn in place and there are
 * colours; elsewhere it is printed again each time. Thread-safe.
 */
final class Screen {
  private static final String CLEAR_LINE = "\r\033[K";
  private static final String PLAIN = "\033[0m";
  private static final String BOLD = "\033[1m";
  private static final String DIM = "\033[2m";
  private static final String GREEN = "\033[1;32m";
  private static final String RED = "\033[1;31m";

  private final PrintStream out;
  private final boolean terminal;
  private String live = "";

  Screen(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  boolean isTerminal() {
    return terminal;
  }

  void title(String text) {
    print("\n" + coloured(BOLD, text) + "\n");
  }

  void say(String text) {
    print(text.stripTrailing());
  }

  /** How an act ended. */
  void result(String text) {
    print("  " + coloured(BOLD, "=> ") + text);
  }

  void good(String text) {
    print(coloured(GREEN, text));
  }

  void bad(String text) {
    print(coloured(RED, text));
  }

  /** Replaces the live line; an empty text removes it. */
  synchronized void live(String text) {
    if (terminal) {
      live = text;
      out.print(CLEAR_LINE + (text.isEmpty() ? "" : coloured(DIM, text)));
      out.flush();
    } else if (!text.isEmpty()) {
      out.println(text);
    }
  }

  private synchronized void print(String text) {
    if (terminal && !live.isEmpty()) {
      out.print(CLEAR_LINE);
    }
    out.println(text);
    if (terminal && !live.isEmpty()) {
      out.print(coloured(DIM, live));
    }
    out.flush();
  }

  private String coloured(String colour, String text) {
    return terminal ? colour + text + PLAIN : text;
  }
}
