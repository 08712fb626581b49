package outbox.internal.engine.schedule;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.routing.OutboxSelectionStrategy;
import outbox.routing.OutboxStore;

/** Claims that are due; the strategy says which is next. Guarded by the scheduler's lock. */
final class ClaimQueue {
  private static final Logger LOG = System.getLogger(OutboxSelectionStrategy.class.getName());

  private final OutboxSelectionStrategy strategy;
  private final Map<StoreTask, OutboxStore> storeOf = new LinkedHashMap<>();
  private final Map<OutboxStore, StoreTask> due = new LinkedHashMap<>();
  private List<OutboxStore> stores = List.of();
  private boolean strategyFailed;

  ClaimQueue(OutboxSelectionStrategy strategy) {
    this.strategy = strategy;
  }

  void register(StoreTask claim, OutboxStore store) {
    storeOf.put(claim, store);
    stores = Collections.unmodifiableList(new ArrayList<>(storeOf.values()));
  }

  void unregister(StoreTask claim) {
    due.remove(storeOf.remove(claim), claim);
    stores = Collections.unmodifiableList(new ArrayList<>(storeOf.values()));
  }

  void add(StoreTask claim) {
    OutboxStore store = storeOf.get(claim);
    if (store != null) {
      due.put(store, claim);
    }
  }

  boolean isEmpty() {
    return due.isEmpty();
  }

  @Nullable StoreTask poll() {
    return due.isEmpty() ? null : due.remove(choice());
  }

  private OutboxStore choice() {
    OutboxStore first = due.keySet().iterator().next();
    try {
      OutboxStore chosen = strategy.select(stores, Collections.unmodifiableSet(due.keySet()));
      return due.containsKey(chosen) ? chosen : first;
    } catch (RuntimeException | Error e) {
      report(e);
      return first;
    }
  }

  void claimed(StoreTask claim, boolean more) {
    OutboxStore store = storeOf.get(claim);
    try {
      if (store != null) {
        strategy.claimed(store, more);
      }
    } catch (RuntimeException | Error e) {
      report(e);
    }
  }

  private void report(Throwable error) {
    if (!strategyFailed) {
      strategyFailed = true;
      LOG.log(Level.ERROR, "selection strategy failed, taking the store that waits longest", error);
    }
  }
}
