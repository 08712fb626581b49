package outbox.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcJoinStore;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;
import outbox.join.JoinCoordinator;
import outbox.join.JoinTracker;
import outbox.model.JoinIdentifier;
import outbox.model.MessageId;

/**
 * Joins of 20 steps whose messages are shared, a tenth of them failing, eight workers in two
 * processes, one of which is killed half-way: all counters are exact, each wait goes on once, and
 * no join stays open.
 *
 * <p>100 joins; 1,000 with {@code -Doutbox.chaos=full}.
 */
@Tag("slow")
class JoinStormTest {
  private static final int JOINS = Chaos.events(100, 1_000);
  private static final int STEPS = 20;

  /** Each message is a step of two joins. */
  private static final int MESSAGES = JOINS * STEPS / 2;

  /** A tenth of the messages fails, a hundred in a row, so that joins end either way. */
  private static final int FAILING_RUN = 100;

  private static final String ENDED_STEPS =
      "SELECT event_id FROM outbox_event WHERE event_type = 'step' AND status IN (1, 3)";

  @TempDir Path directory;
  private final List<Process> nodes = new ArrayList<>();

  @AfterEach
  void killNodes() {
    nodes.forEach(Process::destroyForcibly);
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES_NEWEST", "MARIADB", "MYSQL"})
  void countersAreExactAndEachWaitGoesOnOnce(Product product) throws Exception {
    try (TestDatabase database = TestDatabase.create(product)) {
      OutboxSchema.of(database.dataSource()).withJoins().deploy();
      Account account = new Account(database.dataSource());
      start(database);
      long begin = System.nanoTime();
      Process victim = node("victim", database);
      Process survivor = node("survivor", database);
      Awaitility.await()
          .atMost(Chaos.PATIENCE)
          .pollInterval(Duration.ofMillis(5))
          .until(() -> account.ids(ENDED_STEPS).size() > MESSAGES / 2);
      victim.destroyForcibly().waitFor();
      int atDeath = account.ids(ENDED_STEPS).size();
      account.awaitAllSettled();
      double seconds = (System.nanoTime() - begin) / 1e9;
      finish(survivor);

      Chaos.report(
          String.format(
              "%d joins of %d steps on %s in %.1f s, a process killed after %d of %d steps",
              JOINS, STEPS, product, seconds, atDeath, MESSAGES));
      assertExact(account);
    }
  }

  private void assertExact(Account account) throws SQLException {
    assertThat(account.ids("SELECT join_id FROM outbox_join")).hasSize(JOINS);
    assertThat(account.ids("SELECT join_id FROM outbox_join WHERE status NOT IN (1, 2)"))
        .as("open joins")
        .isEmpty();
    for (String wrong :
        List.of(counterDiffers("completed_steps", 1, 1), counterDiffers("failed_steps", 2, 3))) {
      assertThat(account.ids(wrong)).as(wrong).isEmpty();
    }
    assertThat(
            account.ids(
                "SELECT event_id FROM outbox_event WHERE event_type = 'join.wait'"
                    + " AND status = 1"))
        .as("waits that ended")
        .hasSize(JOINS);
    assertThat(continuationsOf(account, 1)).isEqualTo(count(account, "status = 1"));
    assertThat(continuationsOf(account, 2)).isEqualTo(count(account, "status = 2"));
    assertThat(
            account.ids(
                "SELECT payload_text FROM outbox_event WHERE event_type IN ('went-well',"
                    + " 'went-wrong') GROUP BY payload_text HAVING COUNT(*) <> 1"))
        .as("joins that went on more than once")
        .isEmpty();
  }

  /** Joins whose counter is not what their steps, and the messages of these, say. */
  private static String counterDiffers(String counter, int stepStatus, int messageStatus) {
    return "SELECT j.join_id FROM outbox_join j WHERE j."
        + counter
        + " <> (SELECT COUNT(*) FROM outbox_join_member m INNER JOIN outbox_event e"
        + " ON e.event_id = m.message_id WHERE m.join_id = j.join_id AND m.status = "
        + stepStatus
        + " AND e.status = "
        + messageStatus
        + ")";
  }

  private static int count(Account account, String which) throws SQLException {
    return account.ids("SELECT join_id FROM outbox_join WHERE " + which).size();
  }

  private static int continuationsOf(Account account, int status) throws SQLException {
    String topic = status == 1 ? JoinNodeMain.WENT_WELL : JoinNodeMain.WENT_WRONG;
    Set<String> ids =
        account.ids(
            "SELECT e.event_id FROM outbox_event e INNER JOIN outbox_join j"
                + " ON j.join_id = e.payload_text WHERE e.event_type = '"
                + topic
                + "' AND j.status = "
                + status);
    return ids.size();
  }

  private static void start(TestDatabase database) throws Exception {
    JoinTracker tracker = new JoinTracker(new JdbcJoinStore());
    JdbcOutboxRepository events = JdbcOutboxRepository.builder().terminalHook(tracker).build();
    JoinCoordinator joins =
        JoinCoordinator.builder(
                new DataSourceConnectionProvider(database.dataSource()), events, tracker)
            .build();
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      for (int i = 0; i < MESSAGES; i++) {
        String payload = i % (10 * FAILING_RUN) < FAILING_RUN ? JoinNodeMain.FAILING : "";
        events.insert(connection, step(i, payload), null);
      }
      for (int i = 0; i < JOINS; i++) {
        int first = i * STEPS / 2;
        JoinIdentifier join = joins.in(connection).startJoin("storm", STEPS, null);
        joins
            .in(connection)
            .attachAll(
                join,
                IntStream.range(first, first + STEPS)
                    .mapToObj(step -> new MessageId(id(step % MESSAGES)))
                    .toList());
        joins
            .in(connection)
            .enqueueJoinWait(
                join,
                true,
                JoinNodeMain.WENT_WELL,
                join.value(),
                JoinNodeMain.WENT_WRONG,
                join.value());
      }
      connection.commit();
    }
  }

  private static EventEnvelope step(int number, String payload) {
    return EventEnvelope.builder(JoinNodeMain.STEP)
        .eventId(id(number))
        .payloadJson(payload)
        .build();
  }

  private static String id(int number) {
    return String.format("step-%06d", number);
  }

  private Process node(String name, TestDatabase database) throws IOException {
    Process node =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                JoinNodeMain.class.getName(),
                name,
                database.url())
            .redirectErrorStream(true)
            .redirectOutput(log(name).toFile())
            .start();
    nodes.add(node);
    return node;
  }

  private Path log(String name) {
    return directory.resolve(name + ".log");
  }

  private void finish(Process node) throws IOException, InterruptedException {
    node.getOutputStream().close();
    assertThat(node.waitFor(Chaos.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(node.exitValue()).as(Files.readString(log("survivor"))).isZero();
  }
}
