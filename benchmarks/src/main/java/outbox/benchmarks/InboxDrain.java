package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.inbox.InboxKey;
import outbox.jdbc.JdbcInbox;

/** The same backlog worked off by the outbox and by the inbox, rows kept as done. */
final class InboxDrain {
  private static final double LIMIT = 0.8;

  private final Lab lab;
  private final int backlog;

  InboxDrain(Lab lab) {
    this.lab = lab;
    this.backlog = lab.mode().pick(50_000, 5_000, 1_000);
  }

  /** Each round begins with the other one; the first ones only compile the code. */
  void run(Results results) throws Exception {
    int warmUps = lab.mode().pick(2, 0, 0);
    int rounds = lab.mode().pick(11, 1, 1);
    List<Usage> outbox = new ArrayList<>();
    List<Usage> inbox = new ArrayList<>();
    for (int round = 0; round < warmUps + rounds; round++) {
      if (round % 2 == 0) {
        outbox.add(ofOutbox());
        inbox.add(ofInbox());
      } else {
        inbox.add(ofInbox());
        outbox.add(ofOutbox());
      }
    }
    List<Usage> warmOutbox = outbox.subList(warmUps, outbox.size());
    List<Usage> warmInbox = inbox.subList(warmUps, inbox.size());
    Results.Table table =
        results.table("Inbox: a backlog of " + backlog + " worked off", "", "messages/s", "CPU µs");
    InboxRate.row(table, "outbox", warmOutbox);
    InboxRate.row(table, "inbox", warmInbox);
    results.gate(
        Gate.atLeast(
            "processing of the inbox / of the outbox",
            Stats.medianRatio(warmInbox, warmOutbox, Usage::rate),
            LIMIT));
  }

  private Usage ofOutbox() throws Exception {
    Tables tables = new Tables(lab.server());
    tables.recreate();
    tables.loadPending(backlog);
    tables.vacuum();
    tables.checkpoint();
    CountDownLatch first = new CountDownLatch(1);
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
        Contestant library = new Library(pool, event -> first.countDown(), Completion.KEPT)) {
      return report("outbox worked off", measure(library, first));
    }
  }

  private Usage ofInbox() throws Exception {
    InboxTable table = new InboxTable(lab.server());
    table.recreate();
    table.load(backlog);
    CountDownLatch first = new CountDownLatch(1);
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
        Contestant library = new Processing(pool, first::countDown)) {
      return report("inbox worked off", measure(library, first));
    }
  }

  private Usage report(String label, Usage usage) {
    lab.say("%-20s %7.0f messages/s %4.0f us CPU", label, usage.rate(), usage.cpuPerEvent());
    return usage;
  }

  /** From the first delivery, so that starting up does not count, to the last completion. */
  private Usage measure(Contestant library, CountDownLatch first) throws Exception {
    first.await();
    Meter meter = Meter.start(lab.server());
    long before = library.completed();
    library.awaitCompleted(backlog);
    return meter.stop(backlog - before);
  }

  /** An inbox with the settings of the outbox beside it, and a handler that does nothing. */
  private static final class Processing implements Contestant {
    private final CompletionCounter counter = new CompletionCounter();
    private final JdbcInbox inbox;

    Processing(DataSource dataSource, Runnable onMessage) {
      int batchSize = new OutboxConfig().getPollerBatchSize();
      this.inbox =
          JdbcInbox.builder(dataSource)
              .config(new OutboxConfig().setPollerBatchSize(batchSize))
              .metrics(counter)
              .keepForever()
              .handler(Payload.TYPE, (message, context) -> onMessage.run())
              .start();
    }

    @Override
    public void commit(EventEnvelope event, boolean withBusinessRow) {
      inbox.receive(new InboxKey(InboxTable.SOURCE, event.eventId()), Payload.TYPE, Payload.TEXT);
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
