package outbox.routing;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Stays with a store until the store has no more messages, then selects the next one. With a cap,
 * selects the next one after that many batches in a row, so that a busy store cannot starve the
 * others.
 */
public final class DrainFirstOutboxSelectionStrategy implements OutboxSelectionStrategy {
  private final int maxBatchesInARow;
  private @Nullable OutboxStore current;
  private @Nullable OutboxStore last;
  private int batchesInARow;
  private boolean drained;

  /** Creates a strategy without a cap. */
  public DrainFirstOutboxSelectionStrategy() {
    this(Integer.MAX_VALUE);
  }

  public DrainFirstOutboxSelectionStrategy(int maxBatchesInARow) {
    if (maxBatchesInARow < 1) {
      throw new IllegalArgumentException(
          "maxBatchesInARow (" + maxBatchesInARow + ") must be at least 1");
    }
    this.maxBatchesInARow = maxBatchesInARow;
  }

  /** While the current store's batch is under way others are served, and it stays current. */
  @Override
  public OutboxStore select(List<OutboxStore> stores, Set<OutboxStore> due) {
    OutboxStore present = current;
    boolean stays =
        present != null && !drained && batchesInARow < maxBatchesInARow && stores.contains(present);
    if (present != null && stays && due.contains(present)) {
      batchesInARow++;
      return present;
    }
    OutboxStore next = Rotation.after(last, stores, due);
    last = next;
    if (!stays) {
      current = next;
      batchesInARow = 1;
      drained = false;
    }
    return next;
  }

  @Override
  public void claimed(OutboxStore store, boolean more) {
    if (store == current && !more) {
      drained = true;
    }
  }
}
