package outbox.dispatch;

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
  private static final String OPERATION = "hot confirmation";
  private static final int MAX_BATCH = 500;

  private final BlockingQueue<PreparedEvent> waiting;
  private final int capacity;
  private final LeasedEventStore store;
  private final EngineConnections connections;
  private final Outage outage;
  private final Consumer<PreparedEvent> confirmed;
  private final Waiter pause = new Waiter();

  HotConfirmer(
      int capacity,
      LeasedEventStore store,
      EngineConnections connections,
      Outage outage,
      Consumer<PreparedEvent> confirmed) {
    this.waiting = new LinkedBlockingQueue<>();
    this.capacity = capacity;
    this.store = store;
    this.connections = connections;
    this.outage = outage;
    this.confirmed = confirmed;
    outage.onRecovery(pause::wake);
  }

  /** Returns false if too many are waiting already. */
  boolean offer(PreparedEvent event) {
    return waiting.size() < capacity && waiting.add(event);
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

  private void confirm(List<PreparedEvent> batch) throws InterruptedException {
    List<String> ids = batch.stream().map(event -> event.envelope().eventId()).toList();
    Map<String, RowState> rows;
    try {
      rows = connections.call(OPERATION, c -> store.inspect(c, ids));
    } catch (RuntimeException e) {
      waiting.addAll(batch);
      pause.await(outage.failed(OPERATION, e));
      return;
    }
    for (PreparedEvent event : batch) {
      if (rows.containsKey(event.envelope().eventId())) {
        confirmed.accept(event);
      }
    }
  }
}
