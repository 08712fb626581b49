package outbox.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.chaos.scenario.Journal.Fact;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;

/**
 * A process that is stopped past its leases and continued, as by a suspended machine: what it had
 * queued is another's by now, so it starts none of it, and its late completions change nothing.
 */
@Tag("slow")
class PausedProcessTest {
  private static final int EVENTS = Chaos.events(400, 4_000);
  private static final int WORKERS = 2;
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final String COMPLETIONS = "SELECT event_id || processed_by FROM outbox_event";

  @TempDir Path directory;
  private final List<Node> nodes = new ArrayList<>();

  @AfterEach
  void killNodes() {
    nodes.forEach(Node::close);
  }

  @Test
  void theContinuedProcessStartsNothingThatAnotherHasTaken() throws Exception {
    try (TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST)) {
      Account.open(database.dataSource());
      Node sleeper = node("sleeper", database, 4, EVENTS, Duration.ofMillis(50));
      Node other = node("other", database, 0, 0, Duration.ZERO);
      Account sleepers = new Account(database.dataSource(), journal("sleeper"));
      Account all = new Account(database.dataSource(), journal("sleeper"), journal("other"));
      sleeper.awaitReady();
      other.awaitReady();
      other.publish();
      sleeper.publish();
      sleeper.awaitPublished();
      sleepers.awaitHandled(EVENTS / 20);

      sleeper.signal("STOP");
      Set<String> startedBefore = sleepers.eventIds(Fact.HANDLED);
      Set<String> completedBefore = all.ids("SELECT event_id FROM outbox_event WHERE status = 1");
      all.awaitAllSettled();
      Set<String> completions = all.ids(COMPLETIONS);
      sleeper.signal("CONT");
      await().atMost(Chaos.PATIENCE).until(() -> sleeper.log().contains("lease lost"));
      sleeper.finish();
      other.finish();

      all.assertNothingLost();
      Set<String> startedAfter = sleepers.eventIds(Fact.HANDLED);
      startedAfter.removeAll(startedBefore);
      Chaos.report(
          String.format(
              "paused process: %d of %d started before, %d after it was continued, %d handled twice",
              startedBefore.size(), EVENTS, startedAfter.size(), all.handledTwice().size()));
      assertThat(startedBefore).hasSizeLessThan(EVENTS);
      assertThat(startedAfter).as("had passed the gate").hasSizeLessThanOrEqualTo(WORKERS);
      assertThat(all.handledTwice()).doesNotContainAnyElementsOf(completedBefore);
      assertThat(all.ids(COMPLETIONS)).isEqualTo(completions);
    }
  }

  private Node node(
      String name, TestDatabase database, int publishers, int events, Duration handling)
      throws Exception {
    Node node =
        Node.start(
            new NodeSettings(
                name,
                database.url(),
                journal(name),
                publishers,
                events,
                WORKERS,
                LEASE,
                NodeSettings.DEFAULT_FLUSH,
                handling));
    nodes.add(node);
    return node;
  }

  private Path journal(String name) {
    return directory.resolve(name + ".journal");
  }
}
