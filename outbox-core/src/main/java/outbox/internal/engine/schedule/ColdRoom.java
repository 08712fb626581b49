package outbox.internal.engine.schedule;

import outbox.internal.engine.delivery.Origin;
import outbox.internal.engine.lanes.Lanes;

/**
 * Divides the free part of the cold lane between claims that run at the same time, so that together
 * they never bring more than fits. Guarded by the scheduler's lock.
 */
public final class ColdRoom {
  private final Lanes lanes;
  private final int capacity;
  private final boolean shared;
  private int batchSize;
  private int leastClaim;
  private int reserved;
  private long reservedBytes;

  /** What one claim may bring. */
  public record Share(int events, long bytes) {
    static final Share NONE = new Share(0, 0);
  }

  private ColdRoom(Lanes lanes, int batchSize, boolean shared) {
    this.lanes = lanes;
    this.capacity = lanes.coldCapacity();
    this.shared = shared;
    batchSize(batchSize);
  }

  /** For one store, which may fill the lane. */
  static ColdRoom ofOne(Lanes lanes, int batchSize) {
    return new ColdRoom(lanes, batchSize, false);
  }

  static ColdRoom ofMany(Lanes lanes, int batchSize) {
    return new ColdRoom(lanes, batchSize, true);
  }

  /** What a claim takes at the most. */
  void batchSize(int events) {
    this.batchSize = events;
    this.leastClaim = Math.min(batchSize, (capacity + 1) / 2);
  }

  /** Small claims cost as much as large ones, so a nearly full lane counts as full. */
  boolean isThere() {
    return lanes.coldRoom() - reserved >= leastClaim;
  }

  /** Whether the store has not yet got its share of the lane. */
  boolean isThereFor(Origin store) {
    return !shared || lanes.hasColdShare(store, leastClaim);
  }

  Share reserve() {
    int free = Math.max(1, lanes.coldRoom() - reserved);
    int events = Math.min(batchSize, free);
    long freeBytes = lanes.coldBytesFor(events) - reservedBytes;
    long bytes = Math.max(1, freeBytes / free * events);
    reserved += events;
    reservedBytes += bytes;
    return new Share(events, bytes);
  }

  void giveBack(Share share) {
    reserved -= share.events();
    reservedBytes -= share.bytes();
  }
}
