package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;

/**
 * Counts statements and commits in a pass of its own, so that counting disturbs no measurement. The
 * server counts; what opening and closing alone cost is taken off.
 */
final class Census {
  private final Lab lab;
  private final long events;

  Census(Lab lab) {
    this.lab = lab;
    this.events = lab.mode().pick(10_000, 1_000, 200);
  }

  Counts of(Kind kind, Completion completion) throws Exception {
    new Tables(lab.server()).recreate();
    return of(
        total -> {
          try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
              Contestant contestant =
                  kind.start(lab.server().sql(), pool, event -> {}, completion)) {
            new Publishers(contestant, Lab.PUBLISHERS, true).publish(total);
            contestant.awaitCompleted(total);
          }
        });
  }

  /** The work is done twice: with no events, to see what it costs in any case, and with all. */
  Counts of(Work work) throws Exception {
    Totals idle = count(work, 0);
    Totals busy = count(work, events);
    return new Counts(
        (double) (busy.statements - idle.statements) / events,
        (double) (busy.commits - idle.commits) / events);
  }

  private Totals count(Work work, long total) throws Exception {
    Server server = lab.server();
    Totals before = totals();
    server.countStatements(true);
    work.with(total);
    server.settle();
    server.countStatements(false);
    Totals after = totals();
    return new Totals(after.statements - before.statements, after.commits - before.commits);
  }

  private Totals totals() {
    return new Totals(lab.server().statements(), lab.server().commits());
  }

  /** What is counted, connections and all. */
  @FunctionalInterface
  interface Work {
    void with(long events) throws Exception;
  }

  private record Totals(long statements, long commits) {}

  /** How many of each one event costs. */
  record Counts(double statementsPerEvent, double commitsPerEvent) {}
}
