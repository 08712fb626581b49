package outbox.routing;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One batch from each store that is due, in their order, then again from the first. */
public final class RoundRobinOutboxSelectionStrategy implements OutboxSelectionStrategy {
  private @Nullable OutboxStore last;

  public RoundRobinOutboxSelectionStrategy() {}

  @Override
  public OutboxStore select(List<OutboxStore> stores, Set<OutboxStore> due) {
    OutboxStore next = Rotation.after(last, stores, due);
    last = next;
    return next;
  }
}
