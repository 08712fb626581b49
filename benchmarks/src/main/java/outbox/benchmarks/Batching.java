package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import outbox.Batches;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcInboxStore;
import outbox.jdbc.JdbcOutbox;

/**
 * A backlog that one worker hands to its listener one by one and a hundred at a time, and messages
 * that an inbox receives one by one and a hundred at a time.
 */
final class Batching implements Scenario {
  private static final int AT_ONCE = 100;
  private static final double NO_OP_LIMIT = 1.3;
  private static final double WAIT_LIMIT = 20;
  private static final double RECEIVE_LIMIT = 4;
  private static final long WAIT = TimeUnit.MILLISECONDS.toNanos(1);

  @Override
  public String name() {
    return "batches";
  }

  @Override
  public void run(Lab lab, Results results) throws Exception {
    int rounds = lab.mode().pick(5, 3, 1);
    Results.Table table = results.table("Batches of " + AT_ONCE, "", "events/s", "CPU µs");
    drain(
        lab,
        results,
        table,
        "a listener that does nothing",
        rounds,
        0,
        lab.mode().pick(200_000, 50_000, 1_000),
        NO_OP_LIMIT);
    drain(
        lab,
        results,
        table,
        "a listener that waits 1 ms per call",
        rounds,
        WAIT,
        lab.mode().pick(10_000, 4_000, 500),
        WAIT_LIMIT);
    receive(lab, results, table, rounds);
  }

  private static void drain(
      Lab lab,
      Results results,
      Results.Table table,
      String what,
      int rounds,
      long wait,
      int backlog,
      double limit)
      throws Exception {
    List<Usage> single = new ArrayList<>();
    List<Usage> batched = new ArrayList<>();
    drain(lab, backlog, wait, 1);
    drain(lab, backlog, wait, AT_ONCE);
    for (int i = 0; i < rounds; i++) {
      single.add(drain(lab, backlog, wait, 1));
      batched.add(drain(lab, backlog, wait, AT_ONCE));
      lab.say(
          "%s: one by one %,.0f/s %.0f us CPU, batches %,.0f/s %.0f us CPU",
          what,
          single.get(i).rate(),
          single.get(i).cpuPerEvent(),
          batched.get(i).rate(),
          batched.get(i).cpuPerEvent());
    }
    row(table, what + ", one by one", single);
    row(table, what + ", in batches", batched);
    results.gate(
        Gate.atLeast(
            "drain in batches of " + AT_ONCE + " / one by one, " + what,
            Stats.medianRatio(batched, single, Usage::rate),
            limit));
  }

  /** From the first delivery to the last completion, by one worker. */
  private static Usage drain(Lab lab, int backlog, long wait, int atOnce) throws Exception {
    Tables tables = new Tables(lab.server());
    tables.recreate();
    tables.loadPending(backlog);
    tables.vacuum();
    tables.checkpoint();
    CountDownLatch first = new CountDownLatch(1);
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE);
        Library library = new Library(pool, builder -> listening(builder, first, wait, atOnce))) {
      first.await();
      Meter meter = Meter.start(lab.server());
      long before = library.completed();
      library.awaitCompleted(backlog);
      return meter.stop(backlog - before);
    }
  }

  private static JdbcOutbox.Builder listening(
      JdbcOutbox.Builder builder, CountDownLatch first, long wait, int atOnce) {
    builder.config(new OutboxConfig().setDispatcherWorkers(1));
    return atOnce == 1
        ? builder.listener(Payload.TYPE, (EventEnvelope event) -> call(first, wait))
        : builder.batchListener(Payload.TYPE, Batches.of(atOnce), batch -> call(first, wait));
  }

  private static void call(CountDownLatch first, long wait) {
    first.countDown();
    if (wait > 0) {
      LockSupport.parkNanos(wait);
    }
  }

  private static void receive(Lab lab, Results results, Results.Table table, int rounds)
      throws Exception {
    int messages = lab.mode().pick(20_000, 5_000, 500);
    List<Usage> single = new ArrayList<>();
    List<Usage> together = new ArrayList<>();
    new InboxTable(lab.server()).recreate();
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE)) {
      Inbox inbox =
          Inbox.builder(new DataSourceConnectionProvider(pool), new JdbcInboxStore()).build();
      receive(lab, inbox, messages, 1);
      receive(lab, inbox, messages, AT_ONCE);
      for (int i = 0; i < rounds; i++) {
        single.add(receive(lab, inbox, messages, 1));
        together.add(receive(lab, inbox, messages, AT_ONCE));
        lab.say(
            "receive %.0f us CPU, receiveAll of %d %.0f us CPU",
            single.get(i).cpuPerEvent(), AT_ONCE, together.get(i).cpuPerEvent());
      }
    }
    row(table, "receive", single);
    row(table, "receiveAll", together);
    results.gate(
        Gate.atLeast(
            "receiveAll of " + AT_ONCE + " / receive, messages per CPU second",
            Stats.medianRatio(single, together, Usage::cpuPerEvent),
            RECEIVE_LIMIT));
  }

  private static Usage receive(Lab lab, Inbox inbox, int messages, int atOnce) throws Exception {
    Meter meter = Meter.start(lab.server());
    for (int i = 0; i < messages; i += atOnce) {
      List<InboundMessage> some = IntStream.range(0, atOnce).mapToObj(each -> message()).toList();
      if (atOnce == 1) {
        inbox.receive(some.get(0));
      } else {
        inbox.receiveAll(some);
      }
    }
    return meter.stop(messages);
  }

  private static InboundMessage message() {
    InboxKey key = new InboxKey(InboxTable.SOURCE, Payload.next().eventId());
    return InboundMessage.of(key, Payload.TYPE, Payload.TEXT);
  }

  private static void row(Results.Table table, String label, List<Usage> usages) {
    table.row(
        label,
        String.format(Locale.ROOT, "%,.0f", Stats.median(usages, Usage::rate)),
        String.format(Locale.ROOT, "%.0f", Stats.median(usages, Usage::cpuPerEvent)));
  }
}
