package outbox.chaos.fleet;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import outbox.chaos.clock.Clocks;
import outbox.chaos.clock.SteadyClock;
import outbox.chaos.fault.FaultLog;
import outbox.chaos.node.NodeSettings;
import outbox.chaos.node.NodeSettings.Role;
import outbox.chaos.server.TriedServer;
import outbox.jdbc.db.CuttableProxy;

/** All nodes on one database. */
public final class Fleet implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int TENANT_SHARE = 5;

  private final List<Node> nodes = new ArrayList<>();
  private final TriedServer server;
  private final String ledger;
  private final Path folder;
  private final FaultLog faults;
  private final int rate;
  private final Clocks clocks;

  private Fleet(
      TriedServer server, String ledger, Path folder, FaultLog faults, int rate, Clocks clocks) {
    this.server = server;
    this.ledger = ledger;
    this.folder = folder;
    this.faults = faults;
    this.rate = rate;
    this.clocks = clocks;
  }

  /**
   * Starts the nodes.
   *
   * @param rate transactions per second of all nodes together
   */
  public static Fleet start(
      TriedServer server,
      String ledger,
      Path folder,
      FaultLog faults,
      int rate,
      Clocks clocks,
      Random seeds)
      throws IOException {
    Fleet fleet = new Fleet(server, ledger, folder, faults, rate, clocks);
    fleet.add(server.name().equals("postgresql") ? Role.NOTIFIED : Role.PLAIN, "alpha", seeds);
    fleet.add(Role.PLAIN, "beta", seeds);
    fleet.add(Role.SPRING, "gamma", seeds);
    fleet.add(Role.TENANTS, "delta", seeds);
    fleet.add(Role.TENANTS, "epsilon", seeds);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> fleet.nodes.forEach(Node::kill)));
    return fleet;
  }

  private void add(Role role, String name, Random seeds) throws IOException {
    CuttableProxy proxy = CuttableProxy.to(server.port(), server::spotter);
    long seed = seeds.nextLong();
    List<String> tenants =
        TriedServer.TENANTS.stream().map(tenant -> server.url(tenant, proxy.port())).toList();
    int share = role == Role.TENANTS ? rate / 3 / TENANT_SHARE : rate / 3;
    nodes.add(
        Node.start(
            name,
            life ->
                new NodeSettings(
                    name,
                    role,
                    server.url(TriedServer.MAIN, proxy.port()),
                    tenants,
                    ledger,
                    seed + life,
                    Math.max(1, share),
                    SteadyClock.toTimeOfDay()),
            proxy,
            clocks.create(folder.resolve(name + ".clock")),
            folder.resolve(name + ".log"),
            faults));
  }

  public List<Node> nodes() {
    return nodes;
  }

  /** Those on the main database, which know every topic. */
  public List<Node> outboxNodes() {
    return nodes.subList(0, 3);
  }

  public void publish() {
    nodes.forEach(node -> node.publish(true));
  }

  /** Ends all publishing; returns when nothing more can be committed. */
  public void rest() throws InterruptedException {
    awaitReady();
    nodes.forEach(node -> node.publish(false));
    await("rest", Node::isResting);
  }

  public void awaitReady() throws InterruptedException {
    await("be ready", Node::isReady);
  }

  private void await(String what, Predicate<Node> condition) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    for (Node node : nodes) {
      while (!condition.test(node)) {
        if (System.nanoTime() > end) {
          throw new IllegalStateException(
              node.name() + " does not " + what + "; see its log in " + folder);
        }
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
  }

  public Usage most() {
    return nodes.stream().map(Node::most).reduce(Usage.NONE, Usage::most);
  }

  /** New connections of all nodes go to another server. */
  public void retarget(int port) {
    nodes.forEach(node -> node.proxy().retarget(port));
  }

  @Override
  public void close() {
    nodes.forEach(Node::close);
  }
}
