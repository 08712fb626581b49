package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import outbox.EventEnvelope;

/**
 * What order by key costs: end to end, from commit to listener, from event to event, in a drain.
 */
final class Order implements Scenario {
  private static final int KEYS = 10_000;
  private static final int RATE = 500;
  private static final int PUBLISHERS = 4;
  private static final int BURST = 20;

  @Override
  public String name() {
    return "order";
  }

  @Override
  public void run(Lab lab, Results results) throws Exception {
    Results.Table table =
        results.table(
            "Order by key, 16 publishers, rows kept as DONE",
            "",
            "events/s",
            "CPU µs per event",
            "WAL bytes per event");
    List<Usage> free = new ArrayList<>();
    List<Usage> ordered = new ArrayList<>();
    for (int round = 0; round < lab.mode().pick(10, 1, 1); round++) {
      free.add(endToEnd(lab, 0));
      ordered.add(endToEnd(lab, KEYS));
    }
    row(table, "without a key", free);
    row(table, "10 k keys", ordered);
    results.gate(
        Gate.atLeast(
            "end to end, 10 k keys / without a key",
            Stats.medianRatio(ordered, free, Usage::rate),
            0.7));

    double withoutKey = latency(lab, 0);
    double withKey = latency(lab, KEYS);
    double next = next(lab);
    Results.Table times = results.table("Order by key: times at p50", "", "µs");
    times.row("commit to listener, without a key", text(withoutKey));
    times.row("commit to listener, 10 k keys", text(withKey));
    times.row("end of an event to the start of the next of its key", text(next));
    results.gate(
        Gate.atMost("commit to listener p50, 10 k keys / without", withKey / withoutKey, 2));
    results.gate(Gate.atMost("next event of a key starts after, p50 ms", next / 1000, 1));

    int many = lab.mode().pick(1_000_000, 20_000, 1_000);
    Results.Table drains = results.table("Drain of " + many + " events in order", "", "events/s");
    Usage one = drain(lab, lab.mode().pick(20_000, 2_000, 200), 1);
    drains.row("1 key (" + one.events() + " events)", text(one.rate()));
    Usage some = drain(lab, many, Math.min(KEYS, many / 2));
    drains.row("10 k keys", text(some.rate()));
    Usage each = drain(lab, many, many);
    drains.row("a key for each", text(each.rate()));
    results.gate(
        Gate.atLeast("drain of 10 k keys / of a key for each", some.rate() / each.rate(), 0.5));
  }

  private static Usage endToEnd(Lab lab, int keys) throws Exception {
    Duration slice = Duration.ofMillis(lab.mode().pick(2000, 500, 200));
    new Tables(lab.server()).recreate();
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
        Contestant library = new OrderedLibrary(pool, event -> {}, Completion.KEPT, keys)) {
      Publishers publishers = new Publishers(library, Lab.PUBLISHERS, true);
      long warmUp = publishers.publishFor(slice.dividedBy(5));
      library.awaitCompleted(warmUp);
      Meter meter = Meter.start(lab.server());
      long events = publishers.publishFor(slice);
      library.awaitCompleted(warmUp + events);
      Usage usage = meter.stop(events);
      lab.say("%6d keys %6.0f events/s %5.0f us CPU", keys, usage.rate(), usage.cpuPerEvent());
      return usage;
    }
  }

  private static double latency(Lab lab, int keys) throws Exception {
    Duration slice = Duration.ofMillis(lab.mode().pick(4000, 1000, 300));
    new Tables(lab.server()).recreate();
    CommitClock clock = new CommitClock();
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
        Contestant library =
            new OrderedLibrary(clock.around(pool), clock::arrived, Completion.KEPT, keys)) {
      long count = new Publishers(library, PUBLISHERS, true).publishAt(RATE, slice, clock::next);
      library.awaitCompleted(count);
    }
    return Stats.percentile(clock.micros(), 50);
  }

  /** Bursts of one transaction on one key: each event but the first waits for the one before. */
  private static double next(Lab lab) throws Exception {
    new Tables(lab.server()).recreate();
    AtomicLong ended = new AtomicLong();
    Queue<Double> gaps = new ConcurrentLinkedQueue<>();
    int bursts = lab.mode().pick(100, 10, 3);
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
        Library library =
            new Library(
                pool,
                event -> {
                  long before = ended.get();
                  if (!event.eventId().endsWith("-0")) {
                    gaps.add((System.nanoTime() - before) / 1e3);
                  }
                  ended.set(System.nanoTime());
                },
                Completion.KEPT)) {
      for (int burst = 0; burst < bursts; burst++) {
        int number = burst;
        library.commitAll(
            IntStream.range(0, BURST).mapToObj(i -> ordered("burst-" + number + "-" + i)).toList());
        library.awaitCompleted((burst + 1L) * BURST);
      }
    }
    return Stats.percentile(gaps.stream().mapToDouble(Double::doubleValue).toArray(), 50);
  }

  private static EventEnvelope ordered(String id) {
    return EventEnvelope.builder(Payload.TYPE)
        .eventId(id)
        .orderingKey("customer")
        .payloadJson(Payload.TEXT)
        .build();
  }

  private static Usage drain(Lab lab, int events, int keys) throws Exception {
    Tables tables = new Tables(lab.server());
    tables.recreate();
    tables.loadOrdered(events, keys);
    tables.vacuum();
    tables.checkpoint();
    CountDownLatch first = new CountDownLatch(1);
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
        Contestant library = new Library(pool, event -> first.countDown(), Completion.KEPT)) {
      first.await();
      Meter meter = Meter.start(lab.server());
      long before = library.completed();
      library.awaitCompleted(events);
      Usage usage = meter.stop(events - before);
      lab.say("drain of %d keys %7.0f events/s", keys, usage.rate());
      return usage;
    }
  }

  private static void row(Results.Table table, String name, List<Usage> usages) {
    table.row(
        name,
        text(Stats.median(usages, Usage::rate)),
        text(Stats.median(usages, Usage::cpuPerEvent)),
        text(Stats.median(usages, Usage::walPerEvent)));
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }
}
