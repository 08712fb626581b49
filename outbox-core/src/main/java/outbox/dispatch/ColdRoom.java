package outbox.dispatch;

/**
 * Divides the free part of the cold lane between claims that run at the same time, so that together
 * they never bring more than fits. Guarded by the roster's lock.
 */
final class ColdRoom {
  private final Lanes lanes;
  private final int batchSize;
  private final int leastClaim;
  private int reserved;

  /** What one claim may bring. */
  record Share(int events, long bytes) {
    static final Share NONE = new Share(0, 0);
  }

  ColdRoom(Lanes lanes, int batchSize, int coldCapacity) {
    this.lanes = lanes;
    this.batchSize = batchSize;
    this.leastClaim = Math.min(batchSize, (coldCapacity + 1) / 2);
  }

  /** Small claims cost as much as large ones, so a nearly full lane counts as full. */
  boolean isThere() {
    return lanes.coldRoom() - reserved >= leastClaim;
  }

  Share reserve() {
    int free = lanes.coldRoom() - reserved;
    int events = Math.max(1, Math.min(batchSize, free));
    long bytes = lanes.coldBytesFor(events) / Math.max(1, free) * events;
    reserved += events;
    return new Share(events, Math.max(1, bytes));
  }

  void giveBack(Share share) {
    reserved -= share.events();
  }
}
