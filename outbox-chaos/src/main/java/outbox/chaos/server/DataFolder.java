package outbox.chaos.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a server keeps its data. If this user may mount, it is a file system in memory with a
 * limit, which only processes of its name space see: so that it can be full.
 */
public final class DataFolder implements AutoCloseable {
  private static final String SIZE = "1500m";
  private static final String MOUNTED = "mounted";

  private final Path path;
  private final @Nullable Process keeper;

  private DataFolder(Path path, @Nullable Process keeper) {
    this.path = path;
    this.keeper = keeper;
  }

  static DataFolder create(Path path) {
    try {
      Files.createDirectories(path);
      return new DataFolder(path, isRoot() ? keeper(path) : null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A process that keeps the name space, and with it the file system, until its input ends. */
  private static @Nullable Process keeper(Path path) throws IOException {
    Process process =
        new ProcessBuilder(
                "unshare",
                "-m",
                "sh",
                "-c",
                "mount -t tmpfs -o size=" + SIZE + " tmpfs '" + path + "' && echo mounted && cat")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    BufferedReader output =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
    if (MOUNTED.equals(output.readLine())) {
      return process;
    }
    process.destroyForcibly();
    return null;
  }

  public Path path() {
    return path;
  }

  public boolean isLimited() {
    return keeper != null;
  }

  /** The command as a process that sees this folder, and is not root where servers refuse that. */
  List<String> command(boolean root, List<String> command) {
    List<String> all = new ArrayList<>();
    if (keeper != null) {
      all.addAll(List.of("nsenter", "-m", "-t", String.valueOf(keeper.pid()), "--"));
    }
    if (isRoot() && !root) {
      all.addAll(List.of("unshare", "-U"));
    }
    all.addAll(command);
    return all;
  }

  /** Leaves no byte free. */
  public void fill() throws IOException {
    byte[] block = new byte[1 << 16];
    try (OutputStream out = Files.newOutputStream(filler())) {
      while (true) {
        out.write(block);
      }
    } catch (IOException e) {
      if (!Files.exists(filler())) {
        throw e;
      }
    }
  }

  public void free() throws IOException {
    Files.deleteIfExists(filler());
  }

  private Path filler() {
    return seen().resolve("filler");
  }

  /** The folder as this process sees it, from outside of the name space. */
  Path seen() {
    return keeper == null ? path : Path.of("/proc", keeper.pid() + "", "root" + path);
  }

  static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }

  @Override
  public void close() {
    if (keeper != null) {
      keeper.destroy();
    }
  }
}
