package outbox.join;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.spi.Chore;
import outbox.spi.ConnectionProvider;
import outbox.spi.JoinStore.Settlement;

/** Fails joins past their deadline that nothing waits for, and deletes old ones. */
public final class JoinHousekeeping implements Chore {
  private static final Logger LOG = System.getLogger(JoinHousekeeping.class.getName());
  private static final int BATCH = 200;

  private final Transactions transactions;
  private final JoinTracker tracker;
  private final @Nullable Duration retention;
  private boolean purging;

  /**
   * Housekeeping of the joins that a tracker counts.
   *
   * @param retention how long a join is kept after its end; null for ever
   */
  public JoinHousekeeping(
      ConnectionProvider connections, JoinTracker tracker, @Nullable Duration retention) {
    this.transactions = new Transactions(requireNonNull(connections, "connections"), null);
    this.tracker = requireNonNull(tracker, "tracker");
    this.retention = retention;
    if (retention != null && retention.isNegative()) {
      throw new IllegalArgumentException("retention (" + retention + ") must not be negative");
    }
  }

  @Override
  public String name() {
    return "joins";
  }

  @Override
  public boolean batch() {
    Duration age = retention;
    boolean more = (purging && age != null) ? purge(age) : failOverdue();
    if (more) {
      return true;
    }
    purging = !purging && age != null;
    return purging;
  }

  private boolean failOverdue() {
    Settlement overdue =
        transactions.call(connection -> tracker.store().failOverdue(connection, BATCH));
    tracker.announce(overdue);
    return overdue.ended().size() == BATCH;
  }

  private boolean purge(Duration age) {
    int purged = transactions.call(connection -> tracker.store().purge(connection, age, BATCH));
    LOG.log(Level.DEBUG, "joins purged number={0}", purged);
    return purged > 0;
  }
}
