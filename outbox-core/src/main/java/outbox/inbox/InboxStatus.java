package outbox.inbox;

/** Where a message of the inbox stands. */
public enum InboxStatus {
  /** Known by its key only; it has no topic, and no handler. */
  SEEN,
  /** Waits for its handler, or is being handled. */
  PROCESSING,
  /** Processed; every further delivery of it is a duplicate. */
  DONE,
  /** Given up; stays so until it is replayed. */
  DEAD
}
