package outbox.demo;

/**
 * What the demo itself saw of one order and its event.
 *
 * @param end how its transaction ended
 * @param hot whether its event went straight to the dispatcher's memory
 * @param elsewhere whether another node, which crashed, took the order
 * @param failures deliveries that failed
 * @param deliveries deliveries that succeeded, at any node
 * @param lostSuccesses those of them whose node crashed before it could store the success
 */
record OrderStory(
    String orderId,
    End end,
    boolean hot,
    boolean elsewhere,
    int failures,
    int deliveries,
    int lostSuccesses) {

  /** How a transaction ended. */
  enum End {
    COMMITTED,
    ROLLED_BACK,
    /** An event was delivered that is not known to have been published. */
    UNKNOWN
  }

  boolean isCommitted() {
    return end == End.COMMITTED;
  }

  boolean isRolledBack() {
    return end == End.ROLLED_BACK;
  }

  boolean isDelivered() {
    return deliveries > 0;
  }

  boolean isRetried() {
    return isDelivered() && failures > 0;
  }

  /** Failed and never delivered. */
  boolean isGivenUp() {
    return isCommitted() && !isDelivered() && failures > 0;
  }

  boolean isTakenOver() {
    return elsewhere && deliveries > lostSuccesses;
  }

  boolean isDeliveredHot() {
    return isDelivered() && hot && failures == 0;
  }

  /** Deliveries after the first. */
  int repeats() {
    return Math.max(0, deliveries - 1);
  }

  /** Repeats that no crash explains. */
  int unexplainedRepeats() {
    return Math.max(0, deliveries - lostSuccesses - 1);
  }
}
