package outbox.internal.engine.intake;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.internal.engine.delivery.Delivery.Hold;
import outbox.internal.engine.health.EngineConnections;
import outbox.internal.engine.schedule.Wake;
import outbox.internal.engine.schedule.Wakeups;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.MetricsExporter;
import outbox.spi.OrderedEvents;
import outbox.spi.OrderedEvents.Advance;
import outbox.spi.OrderedEvents.HeldKey;
import outbox.spi.OrderedEvents.Sweep;

/**
 * Starts the next events of ordering keys: leases them and puts them into a lane. From time to time
 * looks at all keys, for those that a dead process left behind. Runs once at a time.
 */
public final class KeyAdvancer {
  private static final String OPERATION = "order by key";
  private static final int MAX_KEYS = 200;
  private static final int SWEEP_LIMIT = 500;
  private static final Duration KEPT_IDLE = Duration.ofMinutes(1);

  /** Looks take this part of the time at the most. */
  private static final int SWEEP_SHARE = 20;

  private final OrderedEvents ordered;
  private final KeyQueue keys;
  private final ClaimContext context;
  private final EngineConnections connections;
  private final ClaimIntake intake;
  private final Wakeups wakeups;
  private final Predicate<String> continues;
  private final Runnable onSweep;
  private boolean sweeping;
  private @Nullable String sweptTo;
  private volatile boolean sweepAsked;

  /**
   * Advances the keys of a store.
   *
   * @param continues whether the death of an event of this topic does not hold its key
   * @param onSweep runs when a look at all keys is asked for
   */
  public KeyAdvancer(
      OrderedEvents ordered,
      KeyQueue keys,
      ClaimContext context,
      EngineConnections connections,
      MetricsExporter metrics,
      Wakeups wakeups,
      Predicate<String> continues,
      Runnable onSweep) {
    this.ordered = ordered;
    this.keys = keys;
    this.context = context;
    this.connections = connections;
    this.intake = new ClaimIntake(context, metrics);
    this.wakeups = wakeups;
    this.continues = continues;
    this.onSweep = onSweep;
  }

  /** Asks for a look at all keys. */
  public void sweep() {
    sweepAsked = true;
    onSweep.run();
  }

  /**
   * Advances some keys, if there are any; returns the pause before the next call, null for none.
   */
  public @Nullable Duration advanceSome() {
    List<String> some = keys.poll(MAX_KEYS);
    List<String> withDead = keys.takeWithDead(some);
    try {
      if (some.isEmpty()) {
        return sweepSome();
      }
      take(connections.call(OPERATION, connection -> advance(connection, some, withDead)));
    } catch (RuntimeException | Error e) {
      keys.add(some);
      keys.addWithDead(withDead);
      return context.health().failed(OPERATION, e);
    }
    return keys.isEmpty() && !sweeping && !sweepAsked ? null : Duration.ZERO;
  }

  /** Without room, or when the process ends, starts the events without a lease, for any claim. */
  private Started advance(Connection connection, List<String> some, List<String> withDead) {
    release(connection, withDead);
    long asked = System.nanoTime();
    boolean room = !context.isClosing() && context.admission().hasRoomForStarted(some.size());
    Lease lease =
        room ? new Lease(context.leases().claimToken(), context.leases().duration()) : null;
    return new Started(asked, lease, ordered.advance(connection, lease, some));
  }

  /** Releases the keys whose dead events do not hold them. */
  private void release(Connection connection, List<String> some) {
    List<String> passed =
        some.isEmpty()
            ? List.of()
            : ordered.held(connection, some).stream()
                .filter(each -> isExpired(each) || continues.test(each.topic()))
                .map(HeldKey::eventId)
                .toList();
    if (!passed.isEmpty()) {
      ordered.release(connection, passed);
    }
  }

  private static boolean isExpired(HeldKey held) {
    return LeasedEventStore.EXPIRED.equals(held.error());
  }

  private void take(Started started) {
    Advance advance = started.advance;
    if (started.lease == null) {
      wakeups.now(context.isClosing() ? Wake.OTHER_NODES : Wake.ALL_NODES);
    } else {
      long deadline = context.leases().deadlineFrom(started.asked);
      intake.start(advance, new Hold(started.lease.owner(), deadline), started.asked);
    }
    advance.dueTimes().forEach(wakeups::dueAt);
    keys.addWithDead(
        advance.ended().stream().flatMap(event -> Stream.ofNullable(event.orderingKey())).toList());
  }

  private @Nullable Duration sweepSome() {
    if (!sweeping && !sweepAsked) {
      return null;
    }
    sweeping = true;
    sweepAsked = false;
    long before = System.nanoTime();
    Sweep sweep =
        connections.call(
            OPERATION, connection -> ordered.sweep(connection, sweptTo, SWEEP_LIMIT, KEPT_IDLE));
    sweptTo = sweep.next();
    sweeping = sweptTo != null;
    keys.addWithDead(sweep.busy());
    Duration took = Duration.ofNanos(System.nanoTime() - before);
    return sweeping ? took.multipliedBy(SWEEP_SHARE) : null;
  }

  private record Started(long asked, @Nullable Lease lease, Advance advance) {}
}
