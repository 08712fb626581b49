package outbox.benchmarks;

/** One question put to the contestants. */
interface Scenario {
  /** What {@code --only} calls it. */
  String name();

  void run(Lab lab, Results results) throws Exception;
}
