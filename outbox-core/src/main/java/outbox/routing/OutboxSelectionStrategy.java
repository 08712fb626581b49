package outbox.routing;

import java.util.List;
import java.util.Set;

/**
 * Decides which of the stores that are due for a look is claimed from next; each choice is one
 * batch. A store whose batch is under way is not due, and neither is one that had nothing a moment
 * ago. Called by one thread at a time, under a lock: it must be quick and must not block.
 */
public interface OutboxSelectionStrategy {

  /**
   * Chooses the next store.
   *
   * @param stores all stores in their order
   * @param due those of them to choose from; never empty
   */
  OutboxStore select(List<OutboxStore> stores, Set<OutboxStore> due);

  /**
   * Told what a chosen store's batch came to.
   *
   * @param more whether the store may have further messages that are due; a batch that is not full
   *     says that it has none
   */
  default void claimed(OutboxStore store, boolean more) {}
}
