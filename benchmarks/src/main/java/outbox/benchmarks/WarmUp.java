package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;

/**
 * Lets the JVM compile everybody's code before anything is measured. Counted in events, as the
 * compiler counts: on a busy machine a warm-up by the clock favours the contestant with the least
 * code.
 */
final class WarmUp {
  private WarmUp() {}

  static void run(Lab lab) throws Exception {
    int events = lab.mode().pick(40_000, 2_000, 500);
    for (Kind kind : Kind.values()) {
      new Tables(lab.server()).recreate();
      try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
          Contestant contestant =
              kind.start(lab.server().sql(), pool, event -> {}, Completion.KEPT)) {
        long count = new Publishers(contestant, Lab.PUBLISHERS, true).publish(events);
        contestant.awaitCompleted(count);
        lab.say("warmed up: %s, %d events", kind.label(), count);
      }
    }
  }
}
