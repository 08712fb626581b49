package outbox.internal.engine.delivery;

/** How far a delivery is. Each stage says which may follow it. */
public enum Stage {
  /** Taken in, and not begun. */
  WAITING,
  /** Its listeners run. */
  RUNNING,
  /** Its listeners run in a transaction that has written the outcome and may be rolled back. */
  WRITTEN,
  /** That transaction has committed; callbacks of the application may still run. */
  COMMITTED,
  /** Its outcome stands and is to be stored. */
  HANDLED,
  /** As {@link #HANDLED}, after a flush that failed: the database may or may not have it. */
  IN_DOUBT,
  /** The database has the outcome. */
  SETTLED;

  /**
   * Returns the next stage.
   *
   * @throws IllegalStateException if it cannot follow this one
   */
  Stage to(Stage next) {
    if (!mayBecome(next)) {
      throw new IllegalStateException("a delivery that is " + this + " cannot become " + next);
    }
    return next;
  }

  private boolean mayBecome(Stage next) {
    return switch (this) {
      case WAITING -> next == RUNNING || next == HANDLED;
      case RUNNING -> next == WRITTEN || next == HANDLED;
      case WRITTEN -> next == RUNNING || next == COMMITTED || next == SETTLED;
      case COMMITTED -> next == SETTLED;
      case HANDLED, IN_DOUBT -> next == IN_DOUBT || next == SETTLED;
      case SETTLED -> false;
    };
  }

  public boolean isRunning() {
    return this == RUNNING || this == WRITTEN || this == COMMITTED;
  }

  /** Whether the outcome is on its way into the database, or there. */
  public boolean isBeingStored() {
    return this != WAITING && this != RUNNING;
  }

  public boolean isStored() {
    return this == COMMITTED || this == SETTLED;
  }
}
