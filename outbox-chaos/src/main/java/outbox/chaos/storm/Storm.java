package outbox.chaos.storm;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import outbox.chaos.fault.FaultKind;
import outbox.chaos.fault.FaultKind.Lane;

/** Faults at random for a while, in two lanes. */
public final class Storm {
  private static final int LONGEST_GAP_MILLIS = 1500;

  private final Scene scene;
  private final NodeFaults nodes;
  private final DatabaseFaults databases;
  private final List<String> failures = new ArrayList<>();

  /** What is left of a shuffled deck of kinds: each has its turn before one comes again. */
  private final Map<Lane, Deque<FaultKind>> decks = new EnumMap<>(Lane.class);

  public Storm(Scene scene) {
    this.scene = scene;
    this.nodes = new NodeFaults(scene.fleet(), scene.log());
    this.databases = new DatabaseFaults(scene.fleet(), scene.server(), scene.log());
  }

  /**
   * Injects faults, if any are chosen; returns when the time and the last of them are over.
   *
   * @return what failed of the driver's own doing; empty if all went well
   */
  public List<String> rage(Duration howLong, Set<FaultKind> chosen, Random seeds)
      throws InterruptedException {
    long end = System.nanoTime() + howLong.toNanos();
    List<Thread> lanes = new ArrayList<>();
    for (Lane lane : Lane.values()) {
      Random random = new Random(seeds.nextLong());
      List<FaultKind> kinds = scene.possible(chosen, lane);
      if (!kinds.isEmpty()) {
        Deque<FaultKind> deck = decks.computeIfAbsent(lane, any -> new ArrayDeque<>());
        Thread thread = new Thread(() -> run(kinds, deck, random, end), "storm-" + lane);
        thread.setDaemon(true);
        thread.start();
        lanes.add(thread);
      }
    }
    for (Thread lane : lanes) {
      lane.join();
    }
    TimeUnit.NANOSECONDS.sleep(end - System.nanoTime());
    synchronized (failures) {
      return List.copyOf(failures);
    }
  }

  private void run(List<FaultKind> kinds, Deque<FaultKind> deck, Random random, long end) {
    while (System.nanoTime() < end) {
      if (deck.isEmpty()) {
        List<FaultKind> shuffled = new ArrayList<>(kinds);
        Collections.shuffle(shuffled, random);
        deck.addAll(shuffled);
      }
      FaultKind kind = deck.remove();
      try {
        strike(kind, random);
        TimeUnit.MILLISECONDS.sleep(random.nextInt(LONGEST_GAP_MILLIS));
      } catch (Exception e) {
        synchronized (failures) {
          failures.add("the fault " + kind.label() + " could not be done: " + e);
        }
        return;
      }
    }
  }

  private void strike(FaultKind kind, Random random) throws Exception {
    if (kind.lane() == Lane.NODE) {
      nodes.strike(kind, random);
    } else {
      databases.strike(kind, random);
    }
  }
}
