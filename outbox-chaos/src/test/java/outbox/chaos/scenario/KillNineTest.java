package outbox.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.chaos.scenario.Journal.Entry;
import outbox.chaos.scenario.Journal.Fact;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;

/**
 * SIGKILL of one of two processes in the middle of its load: the other handles what the dead one
 * had leased, within lease and poll interval, and nothing that was rolled back.
 *
 * <p>The survivor publishes 1,000 events meanwhile; 50,000 with {@code -Doutbox.chaos=full}.
 */
@Tag("slow")
class KillNineTest {
  private static final int EVENTS = Chaos.events(1_000, 50_000);
  private static final int PUBLISHED_BEFORE_DEATH = 500;
  private static final int MORE_THAN_THE_VICTIM_LIVES_FOR = 1_000_000;
  private static final Duration LEASE = Duration.ofSeconds(3);

  /** Slow enough for the victim to die with many events in its memory. */
  private static final Duration VICTIMS_HANDLING = Duration.ofMillis(100);

  /** For a machine that is busy with other things; the long form wants a quiet one. */
  private static final Duration SLACK = Duration.ofSeconds(Chaos.events(20, 2));

  @TempDir Path directory;
  private final List<Node> nodes = new ArrayList<>();

  @AfterEach
  void killNodes() {
    nodes.forEach(Node::close);
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES_NEWEST", "MARIADB", "MYSQL"})
  void theSurvivorHandlesWhatTheDeadProcessHad(Product product) throws Exception {
    try (TestDatabase database = TestDatabase.create(product)) {
      Account.open(database.dataSource());
      Node victim = node("victim", database, MORE_THAN_THE_VICTIM_LIVES_FOR, VICTIMS_HANDLING);
      Node survivor = node("survivor", database, EVENTS, Duration.ZERO);
      Account all = new Account(database.dataSource(), journal("victim"), journal("survivor"));
      victim.awaitReady();
      survivor.awaitReady();
      victim.publish();
      survivor.publish();
      new Account(database.dataSource(), journal("victim"))
          .await(Fact.COMMITTED, PUBLISHED_BEFORE_DEATH);

      victim.kill();
      Instant death = Instant.now();
      Set<String> orphans =
          all.ids(
              "SELECT event_id FROM outbox_event"
                  + " WHERE status IN (0, 2) AND owner_token LIKE 'victim.%'");
      survivor.awaitPublished();
      all.awaitAllSettled();
      survivor.finish();

      all.assertNothingLost();
      Duration takeover = Duration.between(death, lastStart(orphans, "survivor"));
      Chaos.report(
          String.format(
              "kill -9 on %s: %d orphans, the last one started %d ms after the death, %d handled twice",
              product, orphans.size(), takeover.toMillis(), all.handledTwice().size()));
      assertThat(orphans).isNotEmpty().containsAll(all.handledTwice());
      assertThat(takeover).isLessThan(LEASE.plus(NodeSettings.POLL_INTERVAL).plus(SLACK));
    }
  }

  private Instant lastStart(Set<String> events, String name) {
    return Journal.read(journal(name)).stream()
        .filter(entry -> entry.fact() == Fact.HANDLED && events.contains(entry.eventId()))
        .map(Entry::at)
        .max(Instant::compareTo)
        .orElseThrow();
  }

  private Node node(String name, TestDatabase database, int events, Duration handling)
      throws Exception {
    Node node =
        Node.start(
            new NodeSettings(
                name,
                database.url(),
                journal(name),
                8,
                events,
                4,
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
