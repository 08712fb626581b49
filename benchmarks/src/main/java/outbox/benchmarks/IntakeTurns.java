package outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Lets those who take messages in take turns of a quarter of a second on one table and one pool,
 * each time in another order: who else is on the machine disturbs it for seconds, and so all of
 * them alike.
 */
final class IntakeTurns {
  private final Lab lab;
  private final Random order = new Random(1);
  private final Map<IntakeKind, List<Usage>> usages = new EnumMap<>(IntakeKind.class);

  IntakeTurns(Lab lab) {
    this.lab = lab;
  }

  /** Of each, as many as there were turns; those of one turn have the same place. */
  List<Usage> of(IntakeKind kind) {
    return usages.computeIfAbsent(kind, any -> new ArrayList<>());
  }

  void run() throws Exception {
    warmUp();
    int tables = lab.mode().pick(24, 1, 1);
    int turns = lab.mode().pick(10, 1, 1);
    for (int i = 1; i <= tables; i++) {
      onOneTable(turns);
      lab.say("table %d of %d", i, tables);
      for (IntakeKind kind : IntakeKind.values()) {
        report(kind, of(kind).subList((i - 1) * turns, i * turns));
      }
    }
  }

  /** As for the outbox: counted in messages, so that little code is no advantage. */
  private void warmUp() throws Exception {
    int messages = lab.mode().pick(40_000, 2_000, 200);
    prepare();
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE)) {
      for (Sender sender : senders(pool)) {
        sender.publishers.publish(messages);
        lab.say("warmed up: %s, %d messages", sender.kind.label(), messages);
      }
    }
  }

  private void onOneTable(int turns) throws Exception {
    Duration slice = Duration.ofMillis(lab.mode().pick(250, 300, 200));
    prepare();
    try (HikariDataSource pool = lab.server().pool(Lab.POOL_SIZE)) {
      List<Sender> senders = senders(pool);
      for (Sender sender : senders) {
        sender.publishers.publishFor(slice);
      }
      for (int i = 0; i < turns; i++) {
        Collections.shuffle(senders, order);
        for (Sender sender : senders) {
          Meter meter = Meter.start(lab.server());
          of(sender.kind).add(meter.stop(sender.publishers.publishFor(slice)));
        }
      }
    }
  }

  private void prepare() {
    InboxTable table = new InboxTable(lab.server());
    table.recreate();
    table.load(IntakeKind.LOADED);
  }

  private static List<Sender> senders(HikariDataSource pool) {
    List<Sender> senders = new ArrayList<>();
    for (IntakeKind kind : IntakeKind.values()) {
      senders.add(new Sender(kind, new Publishers(kind.start(pool), Lab.PUBLISHERS, false)));
    }
    return senders;
  }

  private void report(IntakeKind kind, List<Usage> some) {
    lab.say(
        "%-44s %7.0f messages/s %4.0f us CPU",
        kind.label(), Stats.median(some, Usage::rate), Stats.median(some, Usage::cpuPerEvent));
  }

  private record Sender(IntakeKind kind, Publishers publishers) {}
}
