package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;

/**
 * Counts statements and commits in a pass of its own, so that counting disturbs no measurement. The
 * server counts: pg_stat_statements, and the commits of pg_stat_database less those that opening
 * and closing alone cost.
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
              Contestant contestant = kind.start(pool, event -> {}, completion)) {
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
    awaitDisconnect();
    server.countStatements(false);
    Totals after = totals();
    return new Totals(after.statements - before.statements, after.commits - before.commits);
  }

  /** A backend reports its commits at its end at the latest. */
  private void awaitDisconnect() throws InterruptedException {
    String others =
        "SELECT count(*) FROM pg_stat_activity"
            + " WHERE datname = current_database() AND pid <> pg_backend_pid()";
    while (lab.server().number(others) > 0) {
      Thread.sleep(10);
    }
  }

  private Totals totals() {
    return new Totals(
        lab.server()
            .number(
                "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements"
                    + " WHERE query ~* '^(insert|update|delete|select|with)' AND query !~ 'pg_'"),
        lab.server()
            .number("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"));
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
