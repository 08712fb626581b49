package outbox.routing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Stores on their way to the dispatcher, which serves and closes them. Those that were never handed
 * out are closed here when they are replaced. Thread-safe.
 */
final class HandedOut implements AutoCloseable {
  private final ReentrantLock lock = new ReentrantLock();
  private final Set<OutboxStore> unseen = Collections.newSetFromMap(new IdentityHashMap<>());
  private List<OutboxStore> stores = List.of();
  private boolean closed;

  /** All of them at present; from here on they are the caller's to close. */
  List<OutboxStore> handOut() {
    lock.lock();
    try {
      unseen.clear();
      return stores;
    } finally {
      lock.unlock();
    }
  }

  void replace(Collection<OutboxStore> now) {
    List<OutboxStore> orphans;
    lock.lock();
    try {
      List<OutboxStore> before = stores;
      stores = List.copyOf(now);
      stores.stream().filter(store -> !before.contains(store)).forEach(unseen::add);
      orphans = unseen.stream().filter(store -> closed || !stores.contains(store)).toList();
      orphans.forEach(unseen::remove);
    } finally {
      lock.unlock();
    }
    orphans.forEach(OutboxStore::close);
  }

  /** Closes what was never handed out, also what comes later. */
  @Override
  public void close() {
    List<OutboxStore> orphans;
    lock.lock();
    try {
      closed = true;
      orphans = new ArrayList<>(unseen);
      unseen.clear();
    } finally {
      lock.unlock();
    }
    orphans.forEach(OutboxStore::close);
  }
}
