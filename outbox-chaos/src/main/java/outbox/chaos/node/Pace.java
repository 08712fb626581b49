package outbox.chaos.node;

import java.time.Duration;

/** The times that all nodes share: short, so that faults outlast them. */
public final class Pace {
  public static final Duration LEASE = Duration.ofSeconds(3);
  public static final Duration POLL_INTERVAL = Duration.ofMillis(500);
  public static final Duration NETWORK_TIMEOUT = Duration.ofSeconds(2);
  public static final Duration MAX_HANDLING = Duration.ofSeconds(8);
  public static final Duration HANG_HANDLING = Duration.ofSeconds(1);

  /** Connections of a node's pool. */
  public static final int POOL_SIZE = 24;

  /** Connections of a node with many databases. */
  public static final int SHARED_CONNECTIONS = 8;

  private Pace() {}
}
