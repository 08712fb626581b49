package outbox.chaos.ledger;

/** What a process wrote down. */
public enum Fact {
  /** A listener was called. */
  START,
  /** A listener is about to return: its work is done. */
  END,
  /** A listener is about to throw. */
  THREW,
  /** The commit of a business transaction returned. */
  COMMITTED,
  /** The inbox said that it has the message. */
  RECEIVED,
  /**
   * A worker claimed the message by hand; the detail is its owner token, when it asked, and the end
   * of the lease by the database's clock.
   */
  CLAIMED,
  /** The queue said that the message is acknowledged; the detail is the owner and when it asked. */
  ACKED,
  /** The queue said that the message is given back; the detail is as above. */
  RELEASED,
  /** The queue said that the message has failed for good; the detail is as above. */
  FAILED,
  /** The process or the database stood still for as many milliseconds as the detail says. */
  STALLED
}
