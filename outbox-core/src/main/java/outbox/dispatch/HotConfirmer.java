package outbox.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.RowState;

/**
 * Asks the database, for many events in one select, whether they survived: a savepoint rolled back
 * after publish removes the row, and not every transaction context notices.
 */
final class HotConfirmer implements Runnable {
  private static final int MAX_BATCH = 500;

  private final BlockingQueue<PreparedEvent> waiting;
  private final LeasedEventStore store;
  private final EngineConnections connections;
  private final Outage outage;
  private final Consumer<PreparedEvent> confirmed;

  HotConfirmer(
      int capacity,
      LeasedEventStore store,
      EngineConnections connections,
      Outage outage,
      Consumer<PreparedEvent> confirmed) {
    this.waiting = new LinkedBlockingQueue<>(capacity);
    this.store = store;
    this.connections = connections;
    this.outage = outage;
    this.confirmed = confirmed;
  }

  boolean offer(PreparedEvent event) {
    return waiting.offer(event);
  }

  /** Takes out what has not been asked about yet. */
  List<PreparedEvent> drain() {
    List<PreparedEvent> rest = new ArrayList<>();
    waiting.drainTo(rest);
    return rest;
  }

  @Override
  public void run() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        List<PreparedEvent> batch = new ArrayList<>();
        batch.add(waiting.take());
        waiting.drainTo(batch, MAX_BATCH - 1);
        confirm(batch);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void confirm(List<PreparedEvent> batch) {
    List<String> ids = batch.stream().map(event -> event.envelope().eventId()).toList();
    try {
      Map<String, RowState> rows = connections.call(c -> store.inspect(c, ids));
      for (PreparedEvent event : batch) {
        if (rows.containsKey(event.envelope().eventId())) {
          confirmed.accept(event);
        }
      }
    } catch (RuntimeException e) {
      // Those that exist are leased to this process and are claimed again when the lease is over.
      Duration unused = outage.failed("hot confirmation", e);
    }
  }
}
