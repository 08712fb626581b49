package outbox.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The CPU time of a server: its first process, the processes that this one has reaped and those
 * that run; 0 if the server runs elsewhere. Read from /proc, where time is counted in hundredths of
 * a second.
 */
final class ServerCpu {
  private static final double MICROS_PER_TICK = 10_000;
  private static final int USER = 11;
  private static final int SYSTEM = 12;
  private static final int REAPED_USER = 13;
  private static final int REAPED_SYSTEM = 14;

  private final @Nullable ProcessHandle postmaster;

  private ServerCpu(@Nullable ProcessHandle postmaster) {
    this.postmaster = postmaster;
  }

  /** The server that wrote its process id to the first line of this file. */
  static ServerCpu ofPidFile(Path file) {
    try {
      long pid = Long.parseLong(Files.readAllLines(file).get(0).strip());
      return new ServerCpu(ProcessHandle.of(pid).orElse(null));
    } catch (IOException e) {
      return new ServerCpu(null);
    }
  }

  double microseconds() {
    if (postmaster == null) {
      return 0;
    }
    long ticks = ticks(postmaster.pid(), USER, SYSTEM, REAPED_USER, REAPED_SYSTEM);
    ticks += postmaster.children().mapToLong(child -> ticks(child.pid(), USER, SYSTEM)).sum();
    return ticks * MICROS_PER_TICK;
  }

  /** The fields are counted from the process state on, which follows the name in parentheses. */
  private static long ticks(long pid, int... fields) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      String[] values = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      long sum = 0;
      for (int field : fields) {
        sum += Long.parseLong(values[field]);
      }
      return sum;
    } catch (NoSuchFileException e) {
      return 0; // It ended meanwhile; the postmaster's account has its time now.
    } catch (IOException e) {
      throw new UncheckedIOException("CPU time of pid " + pid, e);
    }
  }
}
