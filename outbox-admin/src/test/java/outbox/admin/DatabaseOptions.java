package outbox.admin;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import outbox.OutboxBuilder;
import outbox.admin.AdminOptions.Experiment;
import outbox.admin.AdminOptions.Row;
import outbox.admin.data.EventQuery;
import outbox.admin.data.EventView;
import outbox.admin.data.InboxQuery;
import outbox.admin.data.InboxRow;
import outbox.admin.data.InboxView;
import outbox.admin.data.JoinQuery;
import outbox.admin.data.OperatedDatabase;
import outbox.admin.data.TooSlowException;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcInboxStore;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;
import outbox.metrics.Activity;
import outbox.model.MessageId;

/**
 * Each option of {@link OperatedDatabase.Builder}, how it is set, what shows its effect to those
 * who operate the database, and what they see without and with it.
 */
final class DatabaseOptions {
  private static final Activity COUNTED = new Activity(Duration.ofSeconds(10), 420, 7);

  private DatabaseOptions() {}

  static List<Row> rows() {
    return List.of(
        row(
            "outboxTable(String)",
            "`outbox_event`",
            it -> it.outboxTable("other_event"),
            DatabaseOptions::topics,
            List.of("usual"),
            List.of("other")),
        row(
            "inboxTable(String)",
            "`outbox_inbox`",
            it -> it.inboxTable("other_inbox"),
            bench -> messages(bench).stream().map(row -> row.key().source()).toList(),
            List.of("usual"),
            List.of("other")),
        row(
            "joinTable(String)",
            "`outbox_join`",
            it -> it.joinTable("other_join"),
            DatabaseOptions::joins,
            List.of("usual"),
            List.of("other")),
        row(
            "timeLimit(Duration)",
            "5 s",
            it -> it.timeLimit(Duration.ofMillis(900)).outboxTable("slow_event"),
            DatabaseOptions::timeLimit,
            "PT5S",
            "timeLimit (PT0.9S)"),
        row(
            "window(Duration)",
            "1 min",
            it -> it.window(Duration.ofMinutes(5)),
            DatabaseOptions::completedTwoMinutesAgo,
            0L,
            1L),
        row(
            "oldFailures(int)",
            "3",
            it -> it.oldFailures(1),
            DatabaseOptions::oldFailuresOfOne,
            0L,
            1L),
        row(
            "waitTopic(String)",
            "`join.wait`",
            it -> it.waitTopic("usual"),
            DatabaseOptions::topicsWithWait,
            List.of("usual"),
            List.of("join.wait")),
        row(
            "activity(Supplier)",
            "read from the table",
            it -> it.activity(() -> COUNTED),
            bench -> bench.operated.snapshot().activity(),
            new Activity(Duration.ofMinutes(1), 0, 0),
            COUNTED),
        waking("onReplay(Runnable)", OperatedDatabase.Builder::onReplay, DatabaseOptions::replay),
        waking(
            "onInboxReplay(Runnable)",
            OperatedDatabase.Builder::onInboxReplay,
            DatabaseOptions::replayOfInbox));
  }

  /** A database that has two of each table, with something in each, and one who operates it. */
  private record Bench(TestDatabase database, SampleQueue queue, OperatedDatabase operated) {}

  private static Row row(
      String option,
      String documented,
      UnaryOperator<OperatedDatabase.Builder> setting,
      Function<Bench, Object> look,
      Object usual,
      Object other) {
    Experiment experiment = set -> see(it -> set ? setting.apply(it) : it, look);
    return new Row(option, documented, experiment, usual, other);
  }

  /** An action: how often it has run after a dead message was replayed. */
  private static Row waking(
      String option,
      java.util.function.BiFunction<OperatedDatabase.Builder, Runnable, OperatedDatabase.Builder>
          setting,
      Function<Bench, Object> replay) {
    Experiment experiment =
        set -> {
          AtomicInteger woken = new AtomicInteger();
          see(it -> set ? setting.apply(it, woken::incrementAndGet) : it, replay);
          return woken.get();
        };
    return new Row(option, "", experiment, 0, 1);
  }

  private static Object see(
      UnaryOperator<OperatedDatabase.Builder> setting, Function<Bench, Object> look) {
    try (TestDatabase database = TestDatabase.create(Product.H2)) {
      SampleQueue queue = new SampleQueue(database.dataSource());
      queue.pending("usual");
      queue.receive("usual", "m-1", "{}");
      fillOthers(database);
      database.execute(
          "INSERT INTO outbox_join (join_id, expected_steps) VALUES ('usual', 1)",
          "INSERT INTO other_join (join_id, expected_steps) VALUES ('other', 1)",
          "CREATE VIEW slow_event AS SELECT * FROM outbox_event"
              + " WHERE (SELECT MAX(MOD(x, 7)) FROM SYSTEM_RANGE(1, 1000000000000)) >= 0");
      OperatedDatabase operated =
          setting.apply(OperatedDatabase.builder("main", database.dataSource())).build();
      return look.apply(new Bench(database, queue, operated));
    }
  }

  private static void fillOthers(TestDatabase database) {
    DataSourceConnectionProvider connections =
        new DataSourceConnectionProvider(database.dataSource());
    OutboxSchema.of(database.dataSource())
        .tableName("other_event")
        .withJoins("other_join")
        .deploy();
    InboxSchema.of(database.dataSource()).tableName("other_inbox").deploy();
    OutboxBuilder.of(connections, JdbcOutboxRepository.builder().tableName("other_event").build())
        .build()
        .enqueue("other", "{}");
    Inbox.builder(connections, JdbcInboxStore.onTable("other_inbox"))
        .build()
        .enqueue(InboundMessage.of(new InboxKey("other", "m-1"), "invoice", "{}"));
  }

  private static List<String> topics(Bench bench) {
    return bench.operated.events().list(EventQuery.of(EventView.ALL)).items().stream()
        .map(event -> event.topic())
        .toList();
  }

  private static Object topicsWithWait(Bench bench) {
    bench.queue.pending("join.wait");
    return topics(bench);
  }

  private static List<InboxRow> messages(Bench bench) {
    return bench.operated.inbox().list(InboxQuery.of(InboxView.ALL)).items();
  }

  private static Object joins(Bench bench) {
    return bench.operated.joins().list(JoinQuery.all()).items().stream()
        .map(join -> join.id().value())
        .toList();
  }

  /** What stops a statement that would never end; the default is not waited for. */
  private static Object timeLimit(Bench bench) {
    try {
      topics(bench);
      return bench.operated.timeLimit().toString();
    } catch (TooSlowException e) {
      return String.valueOf(e.getMessage()).replaceAll(".*(timeLimit \\([^)]*\\)).*", "$1");
    }
  }

  private static Object completedTwoMinutesAgo(Bench bench) {
    bench.queue.done("usual");
    bench.database.execute("UPDATE outbox_event SET done_at = DATEADD(MINUTE, -2, done_at)");
    return bench.operated.snapshot().activity().processed();
  }

  private static Object oldFailuresOfOne(Bench bench) {
    bench.queue.retrying("usual", "boom");
    return bench.operated.snapshot().oldFailures().value();
  }

  private static Object replay(Bench bench) {
    String id = bench.queue.dead("usual", "boom");
    return bench.operated.events().deadLetters().replay(List.of(new MessageId(id)), "alan");
  }

  private static Object replayOfInbox(Bench bench) {
    bench.queue.receiveDead("bank", "m-2", "boom");
    return bench.operated.inbox().replay(new InboxKey("bank", "m-2"), "alan");
  }
}
