package outbox.jdbc.internal.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import outbox.EventEnvelope;

/** Cuts events into lists that fit into one INSERT each, by their number and their bytes. */
final class InsertChunks {
  /** Well below the 16 MiB that MariaDB and MySQL take in one packet by default. */
  private static final long MAX_BYTES = 4L << 20;

  private InsertChunks() {}

  static List<List<EventEnvelope>> of(Collection<EventEnvelope> events, int maxRows) {
    List<List<EventEnvelope>> chunks = new ArrayList<>();
    List<EventEnvelope> chunk = new ArrayList<>();
    long bytes = 0;
    for (EventEnvelope event : events) {
      boolean full = chunk.size() == maxRows || bytes + event.payloadSize() > MAX_BYTES;
      if (full && !chunk.isEmpty()) {
        chunks.add(chunk);
        chunk = new ArrayList<>();
        bytes = 0;
      }
      chunk.add(event);
      bytes += event.payloadSize();
    }
    if (!chunk.isEmpty()) {
      chunks.add(chunk);
    }
    return chunks;
  }
}
