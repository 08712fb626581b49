package outbox.cli;

import java.io.PrintWriter;

/**
 * Where a command writes for people.
 *
 * @param columns how wide it is; as wide as it takes if it is no terminal
 * @param coloured whether it shows colours
 */
record Screen(PrintWriter out, int columns, boolean coloured) {
  static final int UNLIMITED = Integer.MAX_VALUE;

  void line(String text) {
    out.println(text);
  }

  String paint(String text, Ink ink) {
    return coloured ? ink.on(text) : text;
  }
}
