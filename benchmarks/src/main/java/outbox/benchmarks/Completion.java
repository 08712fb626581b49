package outbox.benchmarks;

/** What becomes of a row when its event is done. */
enum Completion {
  /** Deleted at once: the cheaper choice, and the floor that hot paths are measured by. */
  DELETED,
  /** Kept as DONE until a retention: the library's default. */
  KEPT
}
