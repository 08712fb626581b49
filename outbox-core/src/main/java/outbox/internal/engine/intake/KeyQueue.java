package outbox.internal.engine.intake;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Outcome;

/**
 * The ordering keys whose next event may be startable, and those with an event in flight. The rule:
 * after an event of a key has ended in the database, and after one was committed behind another,
 * the key is advanced. A key with an event in flight here is advanced when that event has ended.
 * Thread-safe; never blocks.
 */
public final class KeyQueue {
  private final Set<String> waiting = new LinkedHashSet<>();

  /** Those of them whose first event may have died. */
  private final Set<String> withDead = new HashSet<>();

  private final Map<String, Delivery> inFlight = new ConcurrentHashMap<>();
  private final Runnable onReady;

  /**
   * Creates an empty queue.
   *
   * @param onReady runs when there is a key to advance
   */
  public KeyQueue(Runnable onReady) {
    this.onReady = onReady;
  }

  /** Takes note of an event that this process is about to handle. */
  public void admitted(Delivery delivery) {
    String key = delivery.orderingKey();
    if (key != null) {
      inFlight.put(key, delivery);
    }
  }

  /** Takes note of an event that has left this process; what became of it is in the database. */
  public void left(Delivery delivery) {
    String key = delivery.orderingKey();
    if (key == null) {
      return;
    }
    // Races with published(): a thread that finds the delivery here leaves the key to the next
    // line.
    inFlight.remove(key, delivery);
    Outcome outcome = delivery.outcome();
    boolean isLive = outcome instanceof Outcome.Retry || outcome instanceof Outcome.Defer;
    if (outcome instanceof Outcome.Dead) {
      addWithDead(List.of(key));
    } else if (!isLive) {
      add(List.of(key));
    }
  }

  /** An event was committed behind another of its key. */
  void published(String key) {
    Delivery earlier = inFlight.get(key);
    if (earlier == null) {
      add(List.of(key));
    } else {
      earlier.followed();
    }
  }

  /** Adds keys to be advanced. */
  public void add(Collection<String> keys) {
    boolean ready;
    synchronized (waiting) {
      boolean wasEmpty = waiting.isEmpty();
      waiting.addAll(keys);
      ready = wasEmpty && !waiting.isEmpty();
    }
    if (ready) {
      onReady.run();
    }
  }

  /** Adds keys to be advanced, whose first event may have died. */
  void addWithDead(Collection<String> keys) {
    synchronized (waiting) {
      withDead.addAll(keys);
    }
    add(keys);
  }

  /** Which of the keys were added by {@link #addWithDead} since the last call. */
  List<String> takeWithDead(List<String> keys) {
    synchronized (waiting) {
      return withDead.isEmpty() ? List.of() : keys.stream().filter(withDead::remove).toList();
    }
  }

  /** Takes out up to so many keys. */
  List<String> poll(int limit) {
    synchronized (waiting) {
      List<String> keys = new ArrayList<>(Math.min(limit, waiting.size()));
      for (Iterator<String> each = waiting.iterator(); each.hasNext() && keys.size() < limit; ) {
        keys.add(each.next());
        each.remove();
      }
      return keys;
    }
  }

  public boolean isEmpty() {
    synchronized (waiting) {
      return waiting.isEmpty();
    }
  }
}
