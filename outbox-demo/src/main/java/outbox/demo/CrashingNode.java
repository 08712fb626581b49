package outbox.demo;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.time.Duration;

/**
 * The second node as a process of its own. It tells its parent what it does by lines on standard
 * output, and ends with the parent, when standard input does.
 */
public final class CrashingNode {
  private static final int POOL_SIZE = 6;

  private CrashingNode() {}

  /** Started by the demo with a JDBC URL, a number of orders, and the lease in milliseconds. */
  public static void main(String[] args) throws Exception {
    Thread leash = new Thread(CrashingNode::endWithParent, "leash");
    leash.setDaemon(true);
    leash.start();
    try (HikariDataSource pool = Pools.open(args[0], POOL_SIZE)) {
      DoomedNode.run(
          pool,
          Integer.parseInt(args[1]),
          Duration.ofMillis(Long.parseLong(args[2])),
          new NodeLines.Writer(System.out));
    }
  }

  private static void endWithParent() {
    try {
      while (System.in.read() >= 0) {}
    } catch (IOException e) {
      // As good as the end of the input.
    }
    Runtime.getRuntime().halt(1);
  }
}
