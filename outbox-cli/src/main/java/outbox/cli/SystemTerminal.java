package outbox.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/**
 * The terminal of this process. The JDK cannot tell which stream is one, nor how wide it is; a
 * POSIX shell and stty can. Without them it is taken for none.
 */
final class SystemTerminal implements Terminal {
  private static final int IN = 1;
  private static final int OUT = 2;
  private static final int ERR = 4;
  private static final String WHICH =
      "n=0; [ -t 0 ] && n=$((n+1)); [ -t 1 ] && n=$((n+2)); [ -t 2 ] && n=$((n+4)); exit $n";
  private static final File TERMINAL = new File("/dev/tty");
  private static final int DEFAULT_COLUMNS = 80;
  private static final int DEFAULT_ROWS = 24;

  private final PrintWriter out;
  private final int streams = streams();
  private @Nullable BufferedReader in;

  SystemTerminal(PrintWriter out) {
    this.out = out;
  }

  @Override
  public boolean showsOutput() {
    return (streams & OUT) != 0;
  }

  @Override
  public boolean showsMessages() {
    return (streams & ERR) != 0;
  }

  @Override
  public boolean canAsk() {
    return (streams & IN) != 0 && (streams & ERR) != 0;
  }

  @Override
  public int columns() {
    return size(1, DEFAULT_COLUMNS);
  }

  @Override
  public int rows() {
    return size(0, DEFAULT_ROWS);
  }

  private static int size(int index, int otherwise) {
    String[] size = stty("size").split(" ", -1);
    boolean known = size.length == 2 && size[index].matches("[1-9][0-9]{0,4}");
    return known ? Integer.parseInt(size[index]) : otherwise;
  }

  @Override
  public @Nullable String answer() {
    if (in == null) {
      in = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
    }
    try {
      return in.readLine();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public @Nullable String secret(String prompt) {
    Console console = canAsk() ? System.console() : null;
    char[] typed = console == null ? null : console.readPassword("%s", prompt);
    return typed == null ? null : new String(typed);
  }

  @Override
  public Keys takeOver() {
    return new SystemKeys(out);
  }

  private static int streams() {
    try {
      return new ProcessBuilder("sh", "-c", WHICH).inheritIO().start().waitFor() & (IN | OUT | ERR);
    } catch (IOException e) {
      return 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
  }

  /** What stty says of, or does to, the terminal that the command was started in; empty if none. */
  static String stty(String... arguments) {
    String[] command = new String[arguments.length + 1];
    command[0] = "stty";
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    ProcessBuilder stty = new ProcessBuilder(command).redirectError(Redirect.DISCARD);
    try {
      Process process = stty.redirectInput(TERMINAL).start();
      return new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    } catch (IOException e) {
      return "";
    }
  }
}
