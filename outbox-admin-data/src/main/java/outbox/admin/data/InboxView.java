package outbox.admin.data;

/** Which messages of an inbox are listed, and in which order. */
public enum InboxView {
  /** Known, but without content, from the highest id on. */
  SEEN,
  /**
   * Waiting for a handler or handled, whose turn comes first first; then those that their sender's
   * side processes itself, from the highest id on.
   */
  PROCESSING,
  /** Completed last first. */
  DONE,
  /** Seen last first. */
  DEAD,
  /** All, from the highest id on, which is: first seen last. */
  ALL;

  /**
   * The view of this name in any case.
   *
   * @throws InvalidQueryException if there is none
   */
  public static InboxView of(String name) {
    return Choice.of(values(), "status", name);
  }
}
