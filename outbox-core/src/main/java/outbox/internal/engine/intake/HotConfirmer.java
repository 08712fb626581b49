package outbox.internal.engine.intake;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.internal.engine.health.DatabaseHealth;
import outbox.internal.engine.health.EngineConnections;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.RowState;

/**
 * Asks the database, for many events in one select, whether they survived: a savepoint rolled back
 * after publish removes the row, and not every transaction context notices.
 */
public final class HotConfirmer {
  private static final String OPERATION = "hot confirmation";
  private static final int MAX_BATCH = 500;

  private final BlockingQueue<PreparedEvent> waiting;
  private final int capacity;
  private final LeasedEventStore store;
  private final EngineConnections connections;
  private final DatabaseHealth health;
  private final Consumer<PreparedEvent> confirmed;
  private final Runnable onReady;

  public HotConfirmer(
      int capacity,
      LeasedEventStore store,
      EngineConnections connections,
      DatabaseHealth health,
      Consumer<PreparedEvent> confirmed,
      Runnable onReady) {
    this.waiting = new LinkedBlockingQueue<>();
    this.capacity = capacity;
    this.store = store;
    this.connections = connections;
    this.health = health;
    this.confirmed = confirmed;
    this.onReady = onReady;
  }

  /** Returns false if too many are waiting already. */
  boolean offer(PreparedEvent event) {
    boolean taken = waiting.size() < capacity && waiting.add(event);
    if (taken) {
      onReady.run();
    }
    return taken;
  }

  /** Whether there is something to ask about. */
  public boolean isWaiting() {
    return !waiting.isEmpty();
  }

  /** Takes out what has not been asked about yet. */
  List<PreparedEvent> drain() {
    List<PreparedEvent> rest = new ArrayList<>();
    waiting.drainTo(rest);
    return rest;
  }

  /** Asks about one batch, if there is one; returns when the next is due, null if none is. */
  public @Nullable Duration confirmOne() {
    List<PreparedEvent> batch = new ArrayList<>();
    waiting.drainTo(batch, MAX_BATCH);
    if (batch.isEmpty()) {
      return null;
    }
    List<String> ids = batch.stream().map(event -> event.envelope().eventId()).toList();
    Map<String, RowState> rows;
    try {
      rows = connections.call(OPERATION, c -> store.inspect(c, ids));
    } catch (RuntimeException | Error e) {
      waiting.addAll(batch);
      return health.failed(OPERATION, e);
    }
    for (PreparedEvent event : batch) {
      if (rows.containsKey(event.envelope().eventId())) {
        confirmed.accept(event);
      }
    }
    return waiting.isEmpty() ? null : Duration.ZERO;
  }
}
