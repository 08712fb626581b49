package outbox.admin.data;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the database itself feels under the queue; null is what this database, or this user of it,
 * cannot tell.
 *
 * @param deadTuples versions of rows that are no longer needed and have not been vacuumed away
 * @param oldestSnapshot how long the oldest transaction runs that keeps them from being vacuumed
 * @param tableBytes the size of the table of events
 * @param indexBytes the size of its indexes
 */
public record DatabaseFacts(
    @Nullable Long deadTuples,
    @Nullable Duration oldestSnapshot,
    @Nullable Long tableBytes,
    @Nullable Long indexBytes) {

  /** Nothing is known. */
  public static final DatabaseFacts UNKNOWN = new DatabaseFacts(null, null, null, null);
}
