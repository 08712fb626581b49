package outbox.chaos.clock;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes clocks that can be moved, where a C compiler is on the PATH; others stay as they are. */
public final class Clocks {
  private static final String SOURCE = "clock.c";

  private final @Nullable Path library;

  private Clocks(@Nullable Path library) {
    this.library = library;
  }

  /**
   * Compiles the library that moves clocks.
   *
   * @param folder where the library is kept
   */
  public static Clocks prepare(Path folder) throws IOException, InterruptedException {
    Path source = folder.resolve(SOURCE);
    try (InputStream in = Clocks.class.getResourceAsStream(SOURCE)) {
      if (in == null) {
        throw new IOException("resource " + SOURCE + " is missing");
      }
      Files.copy(in, source);
    }
    Path library = folder.resolve("clock.so");
    return new Clocks(isCompiled(source, library) ? library : null);
  }

  private static boolean isCompiled(Path source, Path library) throws InterruptedException {
    List<String> command =
        List.of(
            "cc", "-shared", "-fPIC", "-O2", "-o", library.toString(), source.toString(), "-ldl");
    try {
      Process compiler =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(library.resolveSibling("clock.log").toFile())
              .start();
      return compiler.waitFor() == 0 && System.getProperty("os.name").equals("Linux");
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * A clock that shows the machine's time.
   *
   * @param file for its offset
   */
  public MovableClock create(Path file) throws IOException {
    return new MovableClock(library, file);
  }
}
