package outbox.routing;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The next of the due stores in the order of all, from a place on. */
final class Rotation {
  private Rotation() {}

  static OutboxStore after(
      @Nullable OutboxStore last, List<OutboxStore> stores, Set<OutboxStore> due) {
    int start = last == null ? 0 : stores.indexOf(last) + 1;
    for (int i = 0; i < stores.size(); i++) {
      OutboxStore store = stores.get((start + i) % stores.size());
      if (due.contains(store)) {
        return store;
      }
    }
    return due.iterator().next();
  }
}
