package outbox.internal.retention;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import outbox.Retention;
import outbox.spi.Chore;
import outbox.spi.ConnectionProvider;
import outbox.spi.EndedEventStore;

/**
 * Removes what is old of an outbox or an inbox: payloads of completed messages, then the messages
 * with their keys, then dead letters. What may still be handled stays.
 */
public final class EventRetention implements Chore {
  private static final Logger LOG = System.getLogger("outbox.retention.EventRetention");

  private final String name;
  private final ConnectionProvider connections;
  private final int batchSize;
  private final List<Step> steps;
  private int next;

  /** Does nothing yet. */
  public EventRetention(
      String name, ConnectionProvider connections, EndedEventStore store, Retention retention) {
    this.name = requireNonNull(name, "name");
    this.connections = requireNonNull(connections, "connections");
    this.batchSize = retention.batchSize();
    this.steps = steps(store, retention);
  }

  private static List<Step> steps(EndedEventStore store, Retention retention) {
    List<Step> steps = new ArrayList<>();
    Duration payloads = retention.payloads();
    Duration completed = retention.completed();
    Duration dead = retention.dead();
    if (payloads != null && !payloads.equals(completed)) {
      steps.add(new Step("payloads", (c, limit) -> store.purgePayloads(c, payloads, limit)));
    }
    if (completed != null) {
      steps.add(new Step("completed", (c, limit) -> store.purgeDone(c, completed, limit)));
    }
    if (dead != null) {
      steps.add(new Step("dead", (c, limit) -> store.purgeDead(c, dead, limit)));
    }
    return steps;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean batch() {
    if (steps.isEmpty()) {
      return false;
    }
    Step step = steps.get(next);
    int changed = purge(step);
    if (changed > 0) {
      LOG.log(Level.DEBUG, "purged what={0} rows={1} of={2}", step.what, changed, name);
    }
    if (changed == batchSize) {
      return true;
    }
    goOn();
    return next > 0;
  }

  /** A step that fails for ever keeps the later ones from nothing. */
  private int purge(Step step) {
    try {
      return connections.inAutoCommit(connection -> step.purge.rows(connection, batchSize));
    } catch (RuntimeException e) {
      goOn();
      throw e;
    }
  }

  private void goOn() {
    next = (next + 1) % steps.size();
  }

  private record Step(String what, Purge purge) {}

  @FunctionalInterface
  private interface Purge {
    int rows(Connection connection, int limit);
  }
}
