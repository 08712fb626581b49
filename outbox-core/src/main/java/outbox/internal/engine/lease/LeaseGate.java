package outbox.internal.engine.lease;

import static java.util.stream.Collectors.groupingBy;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Delivery.Hold;
import outbox.internal.engine.health.EngineConnections;
import outbox.model.EventStatus;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.ClaimedEvent;
import outbox.spi.LeasedEventStore.RowState;

/**
 * The last check before a listener runs: no listener starts unless enough of its lease is left, by
 * the local clock, for the {@link LeaseRenewer} to renew it in time. This covers a transaction that
 * commits shortly before or after the end of its lease, a long wait in a lane and a process that
 * was stopped and continued.
 */
public final class LeaseGate {
  public static final String OPERATION = "lease check";
  private static final int MAX_RENEWALS = 3;

  private final LeasedEventStore store;
  private final EngineConnections connections;
  private final OwnerTokens tokens;
  private final Duration lease;
  private final long leastLeftNanos;

  public LeaseGate(
      LeasedEventStore store, EngineConnections connections, OwnerTokens tokens, Duration lease) {
    this.store = store;
    this.connections = connections;
    this.tokens = tokens;
    this.lease = lease;
    this.leastLeftNanos = LeaseRenewer.leastLeft(lease).toNanos();
  }

  /** Whether {@link #pass} would have to ask the database. */
  public boolean asks(Delivery delivery) {
    return !delivery.isLost()
        && (!delivery.isLeased() || delivery.isSuspect() || isToBeRenewed(delivery));
  }

  private boolean isToBeRenewed(Delivery delivery) {
    return delivery.deadlinePassed(System.nanoTime() + leastLeftNanos);
  }

  /** Claims an event that came without a lease; returns false if another node has it. */
  public boolean hold(Delivery delivery) {
    return delivery.isLeased() || claim(delivery);
  }

  /** Returns false if the event is not, or no longer, ours to handle. */
  public boolean pass(Delivery delivery) {
    if (delivery.isLost() || !hold(delivery)) {
      return false;
    }
    if (delivery.isSuspect() && !markStarted(delivery)) {
      return false;
    }
    return hasEnoughLease(delivery);
  }

  /** A renewal that took long may leave too little of the lease that it got. */
  private boolean hasEnoughLease(Delivery delivery) {
    for (int tries = 0; isToBeRenewed(delivery); tries++) {
      if (tries == MAX_RENEWALS || !renew(delivery)) {
        return false;
      }
    }
    return true;
  }

  /** How an event that did not pass stands in the database; null if it is gone. */
  public @Nullable EventStatus status(Delivery delivery) {
    String id = delivery.id();
    RowState row = connections.call(OPERATION, c -> store.inspect(c, List.of(id))).get(id);
    return row == null ? null : row.status();
  }

  private boolean claim(Delivery delivery) {
    String owner = tokens.ofNextClaim();
    long deadline = deadline();
    List<ClaimedEvent> claimed =
        connections.call(OPERATION, c -> store.claimById(c, owner, lease, List.of(delivery.id())));
    if (claimed.isEmpty()) {
      return false;
    }
    delivery.leased(new Hold(owner, deadline), claimed.get(0));
    return true;
  }

  /** Renews the lease in the database, whatever the local clock says; false if that is refused. */
  public boolean renew(Delivery delivery) {
    return extend(delivery, (c, owner, id) -> store.renew(c, owner, id, lease));
  }

  /**
   * Renews the leases of many in the database, one statement for each token.
   *
   * @return whether all of them are renewed
   */
  public boolean renewAll(List<Delivery> deliveries) {
    Map<String, List<Delivery>> byOwner =
        deliveries.stream().collect(groupingBy(delivery -> ownerOf(delivery.hold())));
    boolean all = true;
    for (Map.Entry<String, List<Delivery>> each : byOwner.entrySet()) {
      String owner = each.getKey();
      long deadline = deadline();
      List<String> ids = each.getValue().stream().map(Delivery::id).toList();
      Set<String> renewed = connections.call(OPERATION, c -> store.renew(c, owner, ids, lease));
      for (Delivery delivery : each.getValue()) {
        if (renewed.contains(delivery.id())) {
          delivery.renewed(owner, deadline);
        } else {
          all = false;
        }
      }
    }
    return all;
  }

  /** Renews together those that {@link #pass} would renew one by one. */
  public void prepare(List<Delivery> deliveries) {
    List<Delivery> ending =
        deliveries.stream()
            .filter(each -> each.isLeased() && !each.isLost() && isToBeRenewed(each))
            .toList();
    if (ending.size() > 1) {
      boolean unused = renewAll(ending);
    }
  }

  private boolean markStarted(Delivery delivery) {
    boolean marked = extend(delivery, (c, owner, id) -> store.markStarted(c, owner, id, lease));
    if (marked) {
      delivery.startRecorded();
    }
    return marked;
  }

  private boolean extend(Delivery delivery, Extension extension) {
    Hold hold = delivery.hold();
    String owner = ownerOf(hold);
    List<String> id = List.of(delivery.id());
    long deadline = deadline();
    boolean extended =
        connections.call(
            OPERATION,
            c ->
                FencedChange.apply(
                        store,
                        c,
                        owner,
                        delivery.id(),
                        () -> false,
                        () -> extension.apply(c, owner, id))
                    == FencedChange.Result.CHANGED);
    if (extended) {
      delivery.renewed(owner, deadline);
    }
    // Races with the claimer of this process, which may just have taken the row under a new token.
    boolean handedOver = !extended && !hold.equals(delivery.hold());
    return extended || (handedOver && pass(delivery));
  }

  private static String ownerOf(Hold hold) {
    String owner = hold.owner();
    if (owner == null) {
      throw new IllegalStateException("not leased");
    }
    return owner;
  }

  /** Taken before the statement is sent, so that it never lies behind the database's. */
  private long deadline() {
    return System.nanoTime() + lease.toNanos();
  }

  private interface Extension {
    Set<String> apply(Connection connection, String owner, List<String> eventIds);
  }
}
