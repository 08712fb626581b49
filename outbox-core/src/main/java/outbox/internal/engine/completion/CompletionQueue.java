package outbox.internal.engine.completion;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import outbox.OutboxConfig;
import outbox.internal.engine.delivery.Delivery;

/**
 * Outcomes waiting to be stored. Paces the flushes: the first outcome after a pause leaves at once;
 * under load they are collected for an interval, or until a batch is full or an event in order
 * waits for one of them. Thread-safe.
 */
public final class CompletionQueue {
  private static final int CAPACITY_IN_BATCHES = 8;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition roomy = lock.newCondition();
  private final Deque<Delivery> waiting = new ArrayDeque<>();
  private final long intervalNanos;
  private final int batchSize;
  private final int capacity;
  private final Runnable onReady;
  private long lastFlush;
  private boolean closed;

  /** Another event of its key waits for the end of one of these. */
  private boolean urgent;

  /** Kept beside the queue so that workers, who ask before each event, need no lock. */
  private volatile boolean full;

  /**
   * Empty.
   *
   * @param onReady runs when the first outcome comes or a batch is full
   */
  public static CompletionQueue of(OutboxConfig config, Runnable onReady) {
    int batch = config.getFlushBatchSize();
    return new CompletionQueue(
        config.getFlushInterval(), batch, batch * CAPACITY_IN_BATCHES, onReady);
  }

  public CompletionQueue(Duration interval, int batchSize, int capacity, Runnable onReady) {
    this.intervalNanos = interval.toNanos();
    this.batchSize = batchSize;
    this.capacity = capacity;
    this.onReady = onReady;
    this.lastFlush = System.nanoTime() - intervalNanos;
  }

  /**
   * Never blocks: backpressure is applied before the next event is taken, not after it was handled.
   */
  public void add(Delivery delivery) {
    boolean ready = false;
    lock.lock();
    try {
      waiting.addLast(delivery);
      full = waiting.size() >= capacity;
      boolean awaited = delivery.isFollowed();
      ready = waiting.size() == 1 || waiting.size() == batchSize || (awaited && !urgent);
      urgent |= awaited;
    } finally {
      lock.unlock();
    }
    if (ready) {
      onReady.run();
    }
  }

  /** Puts outcomes that cannot be stored just now behind all others, without a call of onReady. */
  void postpone(List<Delivery> deliveries) {
    lock.lock();
    try {
      waiting.addAll(deliveries);
      full = waiting.size() >= capacity;
    } finally {
      lock.unlock();
    }
  }

  /** Puts outcomes whose flush failed back to the front. */
  public void putBack(List<Delivery> deliveries) {
    lock.lock();
    try {
      for (int i = deliveries.size() - 1; i >= 0; i--) {
        waiting.addFirst(deliveries.get(i));
      }
      full = waiting.size() >= capacity;
    } finally {
      lock.unlock();
    }
  }

  public boolean hasRoom() {
    return !full;
  }

  public boolean isEmpty() {
    lock.lock();
    try {
      return waiting.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Waits while too many outcomes are unstored. */
  public void awaitRoom() throws InterruptedException {
    if (!full) {
      return;
    }
    lock.lockInterruptibly();
    try {
      while (full && !closed) {
        roomy.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Takes out the next batch; empty if there is none. */
  public List<Delivery> pollBatch() {
    lock.lock();
    try {
      return waiting.isEmpty() ? List.of() : removeBatch();
    } finally {
      lock.unlock();
    }
  }

  /** When the next batch is to be stored, as {@link System#nanoTime} counts. */
  public long dueAt() {
    lock.lock();
    try {
      boolean paced = waiting.size() < batchSize && !closed && !urgent;
      return paced ? lastFlush + intervalNanos : System.nanoTime();
    } finally {
      lock.unlock();
    }
  }

  private List<Delivery> removeBatch() {
    List<Delivery> batch = new ArrayList<>(Math.min(waiting.size(), batchSize));
    while (batch.size() < batchSize && !waiting.isEmpty()) {
      batch.add(waiting.removeFirst());
    }
    lastFlush = System.nanoTime();
    urgent = false;
    full = waiting.size() >= capacity;
    roomy.signalAll();
    return batch;
  }

  /** No more pacing: what is left is flushed at once. */
  public void close() {
    lock.lock();
    try {
      closed = true;
      roomy.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
