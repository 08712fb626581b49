package outbox.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import outbox.OutboxClient;
import outbox.OutboxConfig;
import outbox.dispatch.OutboxDispatcher;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.memory.InMemoryEventStore;
import outbox.testing.memory.InMemoryTransactions;

/** Prints events per second, CPU per event and the JVM's version; then ends. */
final class VirtualThreadsChild {
  private static final int WORKERS = 2_000;
  private static final int WAIT_MILLIS = 5;
  private static final int QUEUED = 8_000;
  private static final int PER_TRANSACTION = 50;
  private static final int PUBLISHERS = 2;

  private final LongAdder handled = new LongAdder();
  private final Semaphore room = new Semaphore(WORKERS + QUEUED);
  private final InMemoryEventStore store = new InMemoryEventStore().deletingWhenDone();
  private final InMemoryTransactions transactions = store.transactions();
  private volatile boolean stopped;

  private VirtualThreadsChild() {}

  public static void main(String[] args) throws Exception {
    new VirtualThreadsChild().run(Integer.parseInt(args[0]));
  }

  private void run(int seconds) throws Exception {
    OutboxConfig config =
        new OutboxConfig()
            .setVirtualThreads(true)
            .setDispatcherWorkers(WORKERS)
            .setHotQueueCapacity(WORKERS + QUEUED);
    DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    listeners.register(Payload.TYPE, event -> waitAndCount());
    try (OutboxDispatcher dispatcher =
        OutboxDispatcher.builder(store.connections(), store)
            .config(config)
            .listeners(listeners)
            .metrics(new RoomKeeper(room))
            .build()) {
      OutboxClient client =
          new OutboxClient(transactions, store, dispatcher, new CompletionCounter());
      Thread[] publishers = new Thread[PUBLISHERS];
      for (int i = 0; i < publishers.length; i++) {
        publishers[i] = new Thread(() -> publish(client), "publisher-" + i);
        publishers[i].start();
      }
      Thread.sleep(seconds * 500L);
      measure(seconds);
      stopped = true;
      room.release(PER_TRANSACTION * PUBLISHERS);
      for (Thread publisher : publishers) {
        publisher.join();
      }
    }
  }

  private void measure(int seconds) throws InterruptedException {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long before = handled.sum();
    long start = System.nanoTime();
    long cpu = system.getProcessCpuTime();
    Thread.sleep(seconds * 1000L);
    double events = handled.sum() - before;
    double rate = events / ((System.nanoTime() - start) / 1e9);
    double micros = (system.getProcessCpuTime() - cpu) / 1e3 / events;
    System.out.println(String.format(Locale.ROOT, "%.0f %.1f %s", rate, micros, Runtime.version()));
  }

  private void waitAndCount() throws InterruptedException {
    Thread.sleep(WAIT_MILLIS);
    handled.increment();
  }

  private void publish(OutboxClient client) {
    try {
      while (!stopped) {
        room.acquire(PER_TRANSACTION);
        transactions.run(
            connection -> {
              for (int i = 0; i < PER_TRANSACTION; i++) {
                client.publish(Payload.next());
              }
            });
      }
    } catch (Exception e) {
      throw new IllegalStateException("publishing failed", e);
    }
  }
}
