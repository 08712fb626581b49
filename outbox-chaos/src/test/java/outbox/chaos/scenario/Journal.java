package outbox.chaos.scenario;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * What one process did with events, a line each, in a file: it survives the process's end by
 * SIGKILL, and costs no statement. Thread-safe.
 */
final class Journal implements AutoCloseable {
  private static final int FIELDS = 3;

  private final OutputStream out;

  Journal(Path file) throws IOException {
    this.out = new FileOutputStream(file.toFile(), true);
  }

  enum Fact {
    /** A listener was called. */
    HANDLED,
    /** The commit returned. */
    COMMITTED,
    /** The transaction ended, or broke, before its commit. Written before the rollback. */
    ROLLED_BACK,
    /** The commit threw: only the database knows. */
    IN_DOUBT
  }

  record Entry(Fact fact, String eventId, Instant at) {}

  synchronized void write(Fact fact, String eventId) {
    String line = fact + " " + eventId + " " + System.currentTimeMillis() + "\n";
    try {
      out.write(line.getBytes(US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    out.close();
  }

  /** Everything written so far, also while it is being written; empty if nothing was. */
  static List<Entry> read(Path file) {
    if (!Files.exists(file)) {
      return List.of();
    }
    try {
      String text = Files.readString(file, US_ASCII);
      return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(Journal::parse).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Entry parse(String line) {
    String[] fields = line.split(" ", FIELDS);
    return new Entry(
        Fact.valueOf(fields[0]), fields[1], Instant.ofEpochMilli(Long.parseLong(fields[2])));
  }
}
