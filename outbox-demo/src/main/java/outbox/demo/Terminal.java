package outbox.demo;

import java.io.Console;

/** Whether someone is watching who can see colours and a line that changes. */
final class Terminal {
  private Terminal() {}

  @SuppressWarnings("SystemConsoleNull")
  static boolean isInteractive() {
    Console console = System.console();
    return console != null
        && isTerminal(console)
        && System.getenv("NO_COLOR") == null
        && !"dumb".equals(System.getenv("TERM"));
  }

  /** Until JDK 21 a console is a terminal; later ones say so by a method that 17 does not have. */
  private static boolean isTerminal(Console console) {
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (NoSuchMethodException e) {
      return true;
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }
}
