package outbox.chaos.storm;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import outbox.chaos.fault.FaultKind;
import outbox.chaos.fault.FaultLog;
import outbox.chaos.fault.Strike;
import outbox.chaos.fleet.Fleet;
import outbox.chaos.fleet.Node;
import outbox.chaos.ledger.Topic;
import outbox.chaos.node.Pace;

/** What happens to one node or to its network. */
final class NodeFaults {
  private static final int LONGEST_WAIT_FOR_COMMIT_SECONDS = 3;

  /** How long a poisonous event may trouble whichever node handles it. */
  private static final Duration AFTERMATH = Duration.ofSeconds(10);

  private final Fleet fleet;
  private final FaultLog log;

  NodeFaults(Fleet fleet, FaultLog log) {
    this.fleet = fleet;
    this.log = log;
  }

  /** Returns when it is over for everything but the nodes that restart. */
  void strike(FaultKind kind, Random random) throws InterruptedException, IOException {
    List<Node> candidates = kind == FaultKind.EXHAUST_POOL ? fleet.outboxNodes() : fleet.nodes();
    Node node = candidates.get(random.nextInt(candidates.size()));
    int extra = random.nextInt(2000);
    switch (kind) {
      case KILL -> kill(node);
      case HALT_AFTER_HANDLER -> halt(kind, node, "halt-after-handler");
      case HALT_AFTER_COMMIT -> halt(kind, node, "halt-after-commit");
      case PAUSE -> pause(node, Pace.LEASE.plusMillis(500L + extra));
      case CUT -> cut(node);
      case DELAY -> delay(node, Duration.ofMillis(5L + extra / 40), Duration.ofSeconds(3));
      case BLACK_HOLE -> blackHole(node, Duration.ofMillis(500L + 2L * extra));
      case SILENCE -> silence(node);
      case CUT_BEFORE_COMMIT -> cutAtCommit(kind, node, false);
      case CUT_AFTER_COMMIT -> cutAtCommit(kind, node, true);
      case EXHAUST_POOL -> exhaust(node, Duration.ofMillis(1000L + extra));
      case NODE_CLOCK -> moveClock(node, random);
      case HANG -> poison(kind, Topic.HANG, random);
      case ERROR -> poison(kind, Topic.ERROR, random);
      case MEMORY -> poison(kind, Topic.MEMORY, random);
      case HALT -> poison(kind, Topic.HALT, random);
      default -> throw new IllegalArgumentException(kind.label() + " is done to the database");
    }
  }

  /**
   * Over a slow network, so that the end comes between two statements rather than between two
   * transactions.
   */
  private void kill(Node node) throws InterruptedException {
    Strike strike = log.begin(FaultKind.KILL, node.name());
    node.proxy().delay(Duration.ofMillis(20));
    sleep(Duration.ofMillis(300));
    node.kill();
    node.proxy().delay(Duration.ZERO);
    strike.over();
  }

  private void halt(FaultKind kind, Node node, String command) {
    Strike strike = log.begin(kind, node.name());
    node.doom(kind, command);
    strike.over();
  }

  private void pause(Node node, Duration howLong) throws InterruptedException {
    Strike strike = log.begin(FaultKind.PAUSE, node.name());
    node.signal("STOP");
    sleep(howLong);
    node.signal("CONT");
    strike.over();
  }

  private void cut(Node node) {
    Strike strike = log.begin(FaultKind.CUT, node.name());
    node.proxy().cut();
    strike.over();
  }

  private void delay(Node node, Duration delay, Duration howLong) throws InterruptedException {
    Strike strike = log.begin(FaultKind.DELAY, node.name());
    node.proxy().delay(delay);
    sleep(howLong);
    node.proxy().delay(Duration.ZERO);
    strike.over();
  }

  private void blackHole(Node node, Duration howLong) throws InterruptedException {
    Strike strike = log.begin(FaultKind.BLACK_HOLE, node.name());
    node.proxy().stall(true);
    sleep(howLong);
    node.proxy().stall(false);
    strike.over();
  }

  /** The silent connections hold locks until the operator ends them, as a keep-alive would. */
  private void silence(Node node) throws InterruptedException {
    Strike strike = log.begin(FaultKind.SILENCE, node.name());
    node.proxy().silence();
    sleep(Pace.LEASE.plus(Pace.NETWORK_TIMEOUT));
    node.proxy().cut();
    strike.over();
  }

  private void cutAtCommit(FaultKind kind, Node node, boolean afterTheServer)
      throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    Strike strike = log.begin(kind, node.name());
    node.proxy().cutAtCommit(afterTheServer, done::countDown);
    boolean cut = done.await(LONGEST_WAIT_FOR_COMMIT_SECONDS, TimeUnit.SECONDS);
    if (!cut) {
      node.proxy().disarm();
    }
    strike.over();
  }

  private void exhaust(Node node, Duration howLong) throws InterruptedException {
    Strike strike = log.begin(FaultKind.EXHAUST_POOL, node.name());
    node.tell("exhaust " + howLong);
    sleep(howLong.plusMillis(200));
    strike.over();
  }

  /** Some seconds or minutes, forward or back; the node lives with that until the next time. */
  private void moveClock(Node node, Random random) throws IOException {
    int most = random.nextBoolean() ? 10_000 : 600_000;
    Strike strike = log.begin(FaultKind.NODE_CLOCK, node.name());
    node.clock().move(Duration.ofMillis(random.nextInt(2 * most) - most));
    strike.over();
  }

  /**
   * The node that handles the event suffers; a process that ends by it is noted by its supervisor.
   */
  private void poison(FaultKind kind, Topic topic, Random random) {
    Node node = fleet.outboxNodes().get(random.nextInt(fleet.outboxNodes().size()));
    log.begin(kind, Strike.DATABASE).overAfter(AFTERMATH);
    node.tell("poison " + topic.label());
  }

  private static void sleep(Duration howLong) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(howLong.toMillis());
  }
}
