package outbox.admin.data;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a list.
 *
 * @param items may be fewer than a page holds, even none, although there is a next page: a search
 *     looks at a bounded number of rows at a time
 * @param next the cursor of the page that follows; null if there is none
 * @param previous the cursor of the page before; null if there is none, or none that is known
 * @param window the time that was searched if the search stopped before the end of the list, else
 *     null
 */
public record Page<T>(
    List<T> items,
    int page,
    int pageSize,
    @Nullable String next,
    @Nullable String previous,
    @Nullable Window window) {

  public Page {
    items = List.copyOf(items);
  }

  /** The time that a bounded search covered, the earlier instant first. */
  public record Window(Instant from, Instant to) {}
}
