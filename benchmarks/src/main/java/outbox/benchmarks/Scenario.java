package outbox.benchmarks;

import java.util.Set;

/** One question put to the contestants. */
interface Scenario {
  /** What {@code --only} calls it. */
  String name();

  /** The databases that it has statements for. */
  default Set<Database> databases() {
    return Set.of(Database.POSTGRESQL);
  }

  void run(Lab lab, Results results) throws Exception;
}
