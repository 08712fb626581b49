package outbox.admin.data;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row's place in a list, behind which the next page begins.
 *
 * @param phase which of the list's orders it is in
 * @param at null for the beginning of the phase
 */
record Place(int phase, @Nullable Instant at, String id) {
  static final Place START = new Place(0, null, "");

  static Place startOf(int phase) {
    return new Place(phase, null, "");
  }

  boolean isStart() {
    return at == null;
  }
}
