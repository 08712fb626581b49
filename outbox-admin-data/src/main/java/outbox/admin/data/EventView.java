package outbox.admin.data;

/** Which events of an outbox are listed, and in which order. */
public enum EventView {
  /** NEW and RETRY, whose turn comes first first. */
  PENDING,
  /** RETRY, whose turn comes first first, and then DEAD, stored last first. */
  FAILED,
  /** DONE, completed last first. */
  PROCESSED,
  /** DEAD, stored last first. */
  DEAD,
  /** Being worked on, whose lease ends first first. */
  LEASED,
  /** Pending, not leased and not yet due, whose turn comes first first. */
  SCHEDULED,
  /** All, from the highest id on: with ids made by the library, stored last first. */
  ALL;

  /**
   * The view of this name in any case.
   *
   * @throws InvalidQueryException if there is none
   */
  public static EventView of(String name) {
    return Choice.of(values(), "status", name);
  }
}
