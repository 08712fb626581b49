package outbox.chaos.clock;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The time of day of a process and its children: that of the machine plus an offset, which the
 * process reads from a file whenever it asks for the time. Thread-safe.
 */
public final class MovableClock {
  private final @Nullable Path library;
  private final Path file;

  MovableClock(@Nullable Path library, Path file) throws IOException {
    this.library = library;
    this.file = file;
    move(Duration.ZERO);
  }

  /** Whether {@link #move} has an effect. */
  public boolean isMovable() {
    return library != null;
  }

  /** What a process with this clock has in its environment. */
  public Map<String, String> environment() {
    return library == null
        ? Map.of()
        : Map.of("LD_PRELOAD", library.toString(), "CHAOS_CLOCK", file.toString());
  }

  /** Sets the offset from the time of the machine, in place: processes have mapped the file. */
  public void move(Duration offset) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
    bytes.putLong(offset.toNanos()).flip();
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.write(bytes, 0);
    }
  }
}
