package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import outbox.jdbc.JdbcOutbox;

/**
 * One join after the other on an idle server: from the return of its last step's handler to the
 * start of its continuation's.
 */
final class JoinLatency {
  /** Longer than completions are collected for: nothing is going on when the step ends. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(120);

  private static final long LONGEST_WAIT_SECONDS = 60;
  private static final String PARKED =
      """
      SELECT count(*) FROM outbox_event WHERE event_type = 'join.wait' AND status = 0
        AND owner_token IS NULL AND available_at > statement_timestamp() + interval '10 s'""";

  private final Lab lab;
  private volatile Race race = new Race();

  JoinLatency(Lab lab) {
    this.lab = lab;
  }

  /** In microseconds, one for each join. */
  double[] of(int joins, int warmUps) throws Exception {
    new JoinTables(lab.server()).recreate();
    double[] micros = new double[joins];
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
        JdbcOutbox outbox =
            JdbcOutbox.builder(pool)
                .joins()
                .handler("step", (message, context) -> race.lastStep())
                .handler("next", (message, context) -> race.goesOn())
                .start()) {
      for (int i = -warmUps; i < joins; i++) {
        double one = measure(outbox, i >= 0);
        if (i >= 0) {
          micros[i] = one;
        }
      }
    }
    return micros;
  }

  /** Warm-ups need no idle server, and so no pause. */
  private double measure(JdbcOutbox outbox, boolean idle) throws InterruptedException {
    Race started = new Race();
    race = started;
    outbox.joins().plan().step("step", "{}").onComplete("next", "{}").start();
    while (lab.server().number(PARKED) == 0) {
      LockSupport.parkNanos(PAUSE_NANOS / 100);
    }
    if (idle) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    started.mayEnd.countDown();
    if (!started.wentOn.await(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("a join did not go on for a minute");
    }
    return (started.nextAt - started.endedAt) / 1e3;
  }

  /** One join under way. */
  private static final class Race {
    final CountDownLatch mayEnd = new CountDownLatch(1);
    final CountDownLatch wentOn = new CountDownLatch(1);
    volatile long endedAt;
    volatile long nextAt;

    void lastStep() throws InterruptedException {
      mayEnd.await();
      endedAt = System.nanoTime();
    }

    void goesOn() {
      nextAt = System.nanoTime();
      wentOn.countDown();
    }
  }
}
