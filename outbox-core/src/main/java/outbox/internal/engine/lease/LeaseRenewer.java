package outbox.internal.engine.lease;

import static java.util.stream.Collectors.groupingBy;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.OutboxConfig;
import outbox.internal.engine.common.LoggerNames;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.InFlight;
import outbox.internal.engine.health.DatabaseHealth;
import outbox.internal.engine.health.EngineConnections;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.RowState;

/**
 * Renews the leases of everything in flight at half their time, unless the database has its outcome
 * already and only callbacks of the application still run, and watches how long listeners run: one
 * that exceeds its longest handling time is interrupted and no longer renewed, and if its thread
 * does not come back a new worker takes its place. So is one whose transaction waits for the
 * database longer than the network timeout: another node may reach it.
 */
public final class LeaseRenewer {
  private static final Logger LOG = System.getLogger(LoggerNames.DISPATCHER);
  private static final String OPERATION = "renewal";
  private static final int TICKS_PER_LEASE = 8;
  private static final int TICKS_UNTIL_REPLACED = 2;
  private static final Duration LONGEST_TICK = Duration.ofSeconds(1);

  private final String label;
  private final InFlight inFlight;
  private final LeasedEventStore store;
  private final EngineConnections connections;
  private final DatabaseHealth health;
  private final OwnerTokens tokens;
  private final OutboxConfig config;
  private final Runnable replaceWorker;
  private final Duration lease;
  private final Duration tick;
  private final Duration silenceLimit;

  public LeaseRenewer(
      String label,
      InFlight inFlight,
      LeasedEventStore store,
      EngineConnections connections,
      DatabaseHealth health,
      OwnerTokens tokens,
      OutboxConfig config,
      Runnable replaceWorker) {
    this.label = label;
    this.inFlight = inFlight;
    this.store = store;
    this.connections = connections;
    this.health = health;
    this.tokens = tokens;
    this.config = config;
    this.replaceWorker = replaceWorker;
    this.lease = config.getLeaseDuration();
    this.tick = tick(lease);
    this.silenceLimit = config.getNetworkTimeout().plus(tick);
  }

  /**
   * Watches the listeners without asking the database; returns whether leases are to be renewed.
   */
  public boolean watch() {
    if (inFlight.size() == 0) {
      return false;
    }
    guarded(this::watchRunning);
    return !renewable(System.nanoTime()).isEmpty();
  }

  /** How often to watch, so that a renewal has several tries before its lease is over. */
  public static Duration tick(Duration lease) {
    Duration part = lease.dividedBy(TICKS_PER_LEASE);
    return part.compareTo(LONGEST_TICK) < 0 ? part : LONGEST_TICK;
  }

  /**
   * The part of its lease that a delivery has left at least, as long as renewals succeed. One with
   * less was not watched until now, and its lease could expire before the keeper renews it.
   */
  static Duration leastLeft(Duration lease) {
    return lease.dividedBy(2).minus(tick(lease));
  }

  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.log(Level.ERROR, "lease renewer failed, continuing" + label, e);
    }
  }

  private void watchRunning() {
    long now = System.nanoTime();
    for (Delivery delivery : inFlight.all()) {
      if (delivery.stage().isRunning()) {
        Duration limit = config.getMaxHandlingTime(delivery.eventType());
        long silent = delivery.run().askingNanos(now) - silenceLimit.toNanos();
        long over = Math.max(silent, delivery.run().nanos(now) - limit.toNanos());
        if (over > 0 && !delivery.isOverdue()) {
          interrupt(delivery, limit, silent > 0);
        } else if (over > tick.toNanos() * TICKS_UNTIL_REPLACED && delivery.run().replaceThread()) {
          LOG.log(Level.WARNING, "listener ignores its interrupt, worker replaced {0}", delivery);
          replaceWorker.run();
        }
      }
    }
  }

  private void interrupt(Delivery delivery, Duration limit, boolean silent) {
    if (!delivery.interruptOverdue()) {
      return;
    }
    if (silent) {
      LOG.log(
          Level.WARNING,
          "transaction of a listener got no answer from the database within networkTimeout={0} {1};"
              + " its lease is no longer renewed",
          config.getNetworkTimeout(),
          delivery);
    } else {
      LOG.log(
          Level.WARNING,
          "listener interrupted after maxHandlingTime={0} {1}; raise it for this event type if"
              + " listeners may take longer",
          limit,
          delivery);
    }
  }

  /** Renews what has less than half of its lease left; the next tick says when it is due again. */
  public @Nullable Duration renewHeld() {
    Map<String, List<Delivery>> byOwner =
        renewable(System.nanoTime()).stream()
            .collect(groupingBy(delivery -> Objects.requireNonNull(delivery.hold().owner())));
    byOwner.forEach(this::renew);
    return null;
  }

  private List<Delivery> renewable(long now) {
    long half = lease.toNanos() / 2;
    return inFlight.all().stream()
        .filter(delivery -> delivery.isLeased() && isRenewable(delivery))
        .filter(delivery -> delivery.deadlinePassed(now + half))
        .toList();
  }

  private static boolean isRenewable(Delivery delivery) {
    return !delivery.isGivenUp() && !delivery.stage().isStored();
  }

  private void renew(String owner, List<Delivery> deliveries) {
    List<String> ids = deliveries.stream().map(Delivery::id).toList();
    long deadline = System.nanoTime() + lease.toNanos();
    try {
      connections.call(
          OPERATION,
          connection -> {
            Set<String> renewed = store.renew(connection, owner, ids, lease);
            judge(connection, owner, deadline, renewed, deliveries);
            return renewed.size();
          });
    } catch (RuntimeException e) {
      // Not awaited here: the next tick is the next try, and the leases run on until then.
      health.failed(OPERATION, e);
    }
  }

  private void judge(
      Connection connection,
      String owner,
      long deadline,
      Set<String> renewed,
      List<Delivery> deliveries) {
    deliveries.stream()
        .filter(delivery -> renewed.contains(delivery.id()))
        .forEach(delivery -> delivery.renewed(owner, deadline));
    List<Delivery> refused =
        deliveries.stream().filter(delivery -> !renewed.contains(delivery.id())).toList();
    if (refused.isEmpty()) {
      return;
    }
    Map<String, RowState> rows =
        store.inspect(connection, refused.stream().map(Delivery::id).toList());
    for (Delivery delivery : refused) {
      RowState row = rows.get(delivery.id());
      boolean ours = row != null && row.status().isLive() && tokens.isOurs(row.owner());
      boolean beingStored = delivery.stage().isBeingStored();
      if (!ours && !beingStored) {
        delivery.markLost();
      }
    }
  }
}
