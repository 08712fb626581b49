package outbox.chaos.node;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.function.IntSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import outbox.OutboxConfig;
import outbox.chaos.ledger.LedgerWriter;
import outbox.chaos.ledger.Topic;
import outbox.chaos.node.NodeSettings.Role;

/**
 * A node: says {@value #READY}, obeys the lines of its input, and closes when the input ends, as it
 * also does when the driver dies.
 */
public final class NodeMain {
  public static final String READY = "node is ready";
  public static final String RESTED = "node rests";

  /** Has a line for each message; held on to, or the log manager forgets its level. */
  private static final Logger MESSAGES = Logger.getLogger("outbox.messages");

  private static final int WORKERS = 5;

  private final CrashPoint afterHandler = new CrashPoint();
  private final CrashPoint afterCommit = new CrashPoint();
  private final NodeSettings settings;
  private final Calls calls;
  private final Load load;
  private @Nullable OutboxNode node;
  private @Nullable NodePool pool;

  private NodeMain(NodeSettings settings) {
    this.settings = settings;
    this.calls = new Calls(LedgerWriter.start(settings.name(), settings.ledger()), afterHandler);
    this.load = new Load(settings.seed());
  }

  public static void main(String[] arguments) throws Exception {
    MESSAGES.setLevel(Level.OFF);
    NodeSettings settings = NodeSettings.parse(arguments);
    NodeMain main = new NodeMain(settings);
    if (settings.role() == Role.TENANTS) {
      main.runTenants();
    } else {
      main.runOutbox();
    }
  }

  private void runTenants() throws Exception {
    try (TenantWork tenants = new TenantWork(settings, config(WORKERS), calls, afterCommit)) {
      load.add("publisher", settings.rate(), tenants::publish);
      obey(tenants::connections);
    }
  }

  private void runOutbox() throws Exception {
    try (NodePool ownPool = new NodePool(settings.url(), Pace.POOL_SIZE, afterCommit);
        OutboxNode own = new OutboxNode(settings, NodeMain::config, ownPool, calls)) {
      this.pool = ownPool;
      this.node = own;
      own.load(load, settings, calls);
      obey(() -> ownPool.getHikariPoolMXBean().getTotalConnections());
    }
  }

  private void obey(IntSupplier connections) throws Exception {
    Vitals.start(calls.ledger(), connections);
    System.out.println(READY);
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, US_ASCII));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      obey(line.split(" ", -1));
    }
  }

  private void obey(String[] words) {
    switch (words[0]) {
      case "publish" -> load.publish(true);
      case "rest" -> background(this::rest);
      case "poison" -> background(() -> publish(Topic.of(words[1])));
      case "exhaust" -> background(() -> exhaust(Duration.parse(words[1])));
      case "halt-after-handler" -> afterHandler.arm();
      case "halt-after-commit" -> afterCommit.arm();
      default -> System.out.println("unknown command: " + words[0]);
    }
  }

  private void rest() throws InterruptedException {
    load.publish(false);
    while (!load.isResting()) {
      Listeners.pause(Duration.ofMillis(10));
    }
    System.out.println(RESTED);
  }

  private void publish(Topic topic) throws Exception {
    if (node != null) {
      node.publish(topic);
    }
  }

  private void exhaust(Duration howLong) {
    if (pool != null) {
      pool.exhaust(howLong);
    }
  }

  private static void background(Calls.Body body) {
    Thread thread =
        new Thread(
            () -> {
              try {
                body.run();
              } catch (Exception e) {
                System.out.println("command failed: " + e);
              }
            },
            "command");
    thread.setDaemon(true);
    thread.start();
  }

  private static OutboxConfig config(int workers) {
    return new OutboxConfig()
        .setDispatcherWorkers(workers)
        .setLeaseDuration(Pace.LEASE)
        .setPollerIntervalMs(Pace.POLL_INTERVAL.toMillis())
        .setNetworkTimeout(Pace.NETWORK_TIMEOUT)
        .setMaxHandlingTime(Pace.MAX_HANDLING)
        .setMaxHandlingTime(Topic.HANG.label(), Pace.HANG_HANDLING)
        .setDrainTimeout(Duration.ofSeconds(2));
  }
}
