package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.jdbc.JdbcInbox;

/**
 * Sixteen senders through the inbox, beside a bare insert; and a backlog of the inbox worked off,
 * beside the same backlog of the outbox.
 */
final class InboxRate implements Scenario {
  private static final String RAW = "raw insert on conflict";
  private static final String ANSWERED = "the same, with the answer that receive gives";
  private static final int DUPLICATES = 10_000;
  private static final double INTAKE_LIMIT = 0.9;
  private static final double DUPLICATE_LIMIT = 1.0;
  private static final double DRAIN_LIMIT = 0.8;

  @Override
  public String name() {
    return "inbox";
  }

  @Override
  public void run(Lab lab, Results results) throws Exception {
    warmUp(lab);
    Duration slice = Duration.ofMillis(lab.mode().pick(1000, 300, 200));
    int rounds = lab.mode().pick(25, 1, 1);
    List<Usage> raw = new ArrayList<>();
    List<Usage> answered = new ArrayList<>();
    List<Usage> fresh = new ArrayList<>();
    List<Usage> duplicates = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      raw.add(intake(lab, RAW, slice, Intake::unanswered));
      answered.add(intake(lab, ANSWERED, slice, Intake::answered));
      fresh.add(intake(lab, "receive of new messages", slice, Intake::ofNew));
      duplicates.add(
          intake(
              lab, "receive of duplicates", slice, pool -> Intake.ofDuplicates(pool, DUPLICATES)));
    }
    Results.Table table = results.table("Inbox: intake, 16 senders", "", "messages/s", "CPU µs");
    row(table, RAW, raw);
    row(table, ANSWERED, answered);
    row(table, "receive of new messages", fresh);
    row(table, "receive of duplicates", duplicates);
    results.gate(
        Gate.atLeast(
            "receive of a new message / " + RAW,
            Stats.medianRatio(fresh, raw, Usage::rate),
            INTAKE_LIMIT));
    results.gate(
        Gate.atLeast(
            "receive of a duplicate / of a new message",
            Stats.medianRatio(duplicates, fresh, Usage::rate),
            DUPLICATE_LIMIT));
    drain(lab, results);
  }

  /** As for the outbox: counted in messages, so that nobody is favoured for having little code. */
  private static void warmUp(Lab lab) throws Exception {
    int messages = lab.mode().pick(20_000, 2_000, 200);
    InboxTable table = new InboxTable(lab.server());
    for (Start start : List.<Start>of(Intake::unanswered, Intake::ofNew)) {
      table.recreate();
      try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
          Contestant contestant = start.on(pool)) {
        new Publishers(contestant, Lab.PUBLISHERS, false).publish(messages);
      }
    }
    drainInbox(lab, messages);
    lab.say("warmed up: inbox, %d messages", messages);
  }

  private static Usage intake(Lab lab, String label, Duration slice, Start start) throws Exception {
    InboxTable table = new InboxTable(lab.server());
    table.recreate();
    table.load(DUPLICATES);
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
        Contestant contestant = start.on(pool)) {
      Publishers senders = new Publishers(contestant, Lab.PUBLISHERS, false);
      senders.publishFor(slice.dividedBy(5));
      Meter meter = Meter.start(lab.server());
      return report(lab, label, meter.stop(senders.publishFor(slice)));
    }
  }

  private static void drain(Lab lab, Results results) throws Exception {
    int backlog = lab.mode().pick(50_000, 5_000, 1_000);
    int rounds = lab.mode().pick(9, 1, 1);
    List<Usage> outbox = new ArrayList<>();
    List<Usage> inbox = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      outbox.add(report(lab, "outbox worked off", drainOutbox(lab, backlog)));
      inbox.add(report(lab, "inbox worked off", drainInbox(lab, backlog)));
    }
    Results.Table table =
        results.table("Inbox: a backlog of " + backlog + " worked off", "", "messages/s", "CPU µs");
    row(table, "outbox", outbox);
    row(table, "inbox", inbox);
    results.gate(
        Gate.atLeast(
            "processing of the inbox / of the outbox",
            Stats.medianRatio(inbox, outbox, Usage::rate),
            DRAIN_LIMIT));
  }

  private static Usage drainOutbox(Lab lab, int backlog) throws Exception {
    Tables tables = new Tables(lab.server());
    tables.recreate();
    tables.loadPending(backlog);
    tables.vacuum();
    tables.checkpoint();
    CountDownLatch first = new CountDownLatch(1);
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
        Contestant library = new Library(pool, event -> first.countDown(), Completion.KEPT)) {
      return measure(lab, library, first, backlog);
    }
  }

  private static Usage drainInbox(Lab lab, int backlog) throws Exception {
    InboxTable table = new InboxTable(lab.server());
    table.recreate();
    table.load(backlog);
    CountDownLatch first = new CountDownLatch(1);
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
        Contestant library = new Processing(pool, first::countDown)) {
      return measure(lab, library, first, backlog);
    }
  }

  /** From the first delivery, so that starting up does not count, to the last completion. */
  private static Usage measure(Lab lab, Contestant library, CountDownLatch first, int backlog)
      throws Exception {
    first.await();
    Meter meter = Meter.start(lab.server());
    long before = library.completed();
    library.awaitCompleted(backlog);
    return meter.stop(backlog - before);
  }

  private static Usage report(Lab lab, String label, Usage usage) {
    lab.say("%-40s %7.0f messages/s %4.0f us CPU", label, usage.rate(), usage.cpuPerEvent());
    return usage;
  }

  private static void row(Results.Table table, String label, List<Usage> usages) {
    table.row(
        label,
        String.format(Locale.ROOT, "%,.0f", Stats.median(usages, Usage::rate)),
        String.format(Locale.ROOT, "%.0f", Stats.median(usages, Usage::cpuPerEvent)));
  }

  /** Makes an intake on a pool. */
  @FunctionalInterface
  private interface Start {
    Contestant on(DataSource dataSource);
  }

  /** An inbox with the settings of the outbox beside it, and a handler that does nothing. */
  private static final class Processing implements Contestant {
    private final CompletionCounter counter = new CompletionCounter();
    private final JdbcInbox inbox;

    Processing(DataSource dataSource, Runnable onMessage) {
      this.inbox =
          JdbcInbox.builder(dataSource)
              .config(new OutboxConfig())
              .metrics(counter)
              .noRetention()
              .handler(Payload.TYPE, (message, context) -> onMessage.run())
              .start();
    }

    @Override
    public void commit(EventEnvelope event, boolean withBusinessRow) {
      inbox.inbox().receive(Payload.TYPE, InboxTable.SOURCE, event.eventId(), Payload.TEXT, null);
    }

    @Override
    public long completed() {
      return counter.completed();
    }

    @Override
    public void close() {
      inbox.close();
    }
  }
}
