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
  private long reservedBytes;

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

  /** Whether the station has not yet got its share of the lane. */
  boolean isThereFor(Station station) {
    return lanes.hasColdShare(station, leastClaim);
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
