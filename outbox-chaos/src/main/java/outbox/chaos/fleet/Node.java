package outbox.chaos.fleet;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import outbox.chaos.clock.MovableClock;
import outbox.chaos.fault.FaultKind;
import outbox.chaos.fault.FaultLog;
import outbox.chaos.fault.Strike;
import outbox.chaos.ledger.Exit;
import outbox.chaos.node.NodeSettings;
import outbox.jdbc.db.CuttableProxy;

/**
 * A node that is started again whenever it ends, and the proxy before its database. Thread-safe.
 */
public final class Node implements AutoCloseable {
  private final String name;
  private final IntFunction<NodeSettings> lives;
  private final CuttableProxy proxy;
  private final MovableClock clock;
  private final Path log;
  private final FaultLog faults;
  private final Thread supervisor;
  private volatile NodeProcess process;
  private volatile boolean publishing;
  private volatile boolean closed;
  private volatile Usage earlier = Usage.NONE;

  /** Why the present life may end: it was told to, or an event makes it. */
  private volatile FaultKind doom = FaultKind.HALT;

  private Node(
      String name,
      IntFunction<NodeSettings> lives,
      CuttableProxy proxy,
      MovableClock clock,
      Path log,
      FaultLog faults) {
    this.name = name;
    this.lives = lives;
    this.proxy = proxy;
    this.clock = clock;
    this.log = log;
    this.faults = faults;
    this.process = NodeProcess.start(lives.apply(0), clock, log);
    this.supervisor = new Thread(this::supervise, "supervisor-" + name);
    supervisor.setDaemon(true);
  }

  /**
   * Starts a node.
   *
   * @param lives the settings of each life, by its number
   */
  static Node start(
      String name,
      IntFunction<NodeSettings> lives,
      CuttableProxy proxy,
      MovableClock clock,
      Path log,
      FaultLog faults) {
    Node node = new Node(name, lives, proxy, clock, log, faults);
    node.supervisor.start();
    return node;
  }

  public String name() {
    return name;
  }

  public CuttableProxy proxy() {
    return proxy;
  }

  public MovableClock clock() {
    return clock;
  }

  public boolean isReady() {
    return process.isAlive() && process.isReady();
  }

  /** Tells it something that may be its end. */
  public void doom(FaultKind kind, String command) {
    doom = kind;
    process.tell(command);
  }

  public void tell(String command) {
    process.tell(command);
  }

  public void signal(String signal) {
    process.signal(signal);
  }

  public void kill() {
    doom = FaultKind.KILL;
    process.kill();
  }

  void publish(boolean wanted) {
    publishing = wanted;
    if (wanted) {
      process.tell("publish");
    } else {
      process.rest();
    }
  }

  boolean isResting() {
    return isReady() && process.isRested();
  }

  Usage most() {
    return earlier.most(process.most());
  }

  private void supervise() {
    try {
      for (int life = 1; !closed; life++) {
        boolean wasReady = greet();
        int exit = process.awaitEnd();
        earlier = most();
        if (!closed) {
          Strike death = faults.again(doom, name);
          if (wasReady && !isExplained(exit)) {
            faults.surprise(name + " ended by itself with exit " + exit + "; see " + log);
          }
          doom = FaultKind.HALT;
          TimeUnit.MILLISECONDS.sleep(300);
          process = NodeProcess.start(lives.apply(life), clock, log);
          awaitReady();
          death.over();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** An event that exhausts the memory may end any node, by whatever fails there first. */
  private boolean isExplained(int exit) {
    return exit == Exit.HALTED
        || doom == FaultKind.KILL
        || faults.strikes().stream().anyMatch(strike -> strike.kind() == FaultKind.MEMORY);
  }

  /** Says what a new life must know, once it listens; false if it ended before. */
  private boolean greet() throws InterruptedException {
    awaitReady();
    boolean ready = process.isReady();
    if (ready) {
      publish(publishing);
    }
    return ready;
  }

  private void awaitReady() throws InterruptedException {
    while (!process.isReady() && process.isAlive() && !closed) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  /** Ends it in an orderly way. */
  @Override
  public void close() {
    closed = true;
    try {
      if (!process.finish()) {
        faults.surprise(name + " does not close within 30 s; see " + log);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.kill();
    }
    proxy.close();
  }
}
