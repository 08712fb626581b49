package outbox.routing;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.contracts.support.Spec;
import outbox.testing.memory.InMemoryEventStore;

@Timeout(60)
class DiscoveredStoresTest {
  private static final Duration OFTEN = Duration.ofMillis(5);

  private volatile List<OutboxDatabase> found =
      List.of(OutboxDatabase.of("a", "jdbc:a"), OutboxDatabase.of("b", "jdbc:b"));
  private volatile boolean failing;
  private final AtomicInteger looks = new AtomicInteger();
  private volatile String unmakable = "";
  private final List<String> made = new CopyOnWriteArrayList<>();
  private final List<String> closed = new CopyOnWriteArrayList<>();
  private final AtomicInteger changes = new AtomicInteger();
  private final OutboxStoreProvider provider =
      OutboxStoreProvider.discovered(this::discover, OFTEN, this::make);

  @AfterEach
  void close() {
    provider.close();
  }

  @Test
  @Spec({"OBX-069", "OBX-071", "OBX-072"})
  void storesFollowWhatIsDiscovered() {
    provider.onChange(changes::incrementAndGet);
    assertThat(provider.stores()).extracting(OutboxStore::identifier).containsExactly("a", "b");

    found = List.of(OutboxDatabase.of("b", "jdbc:b"), OutboxDatabase.of("c", "jdbc:c"));

    await().atMost(Duration.ofSeconds(30)).until(() -> changes.get() == 1);
    assertThat(provider.stores()).extracting(OutboxStore::identifier).containsExactly("b", "c");
  }

  @Test
  @Spec("OBX-073")
  void databaseThatHasNotChangedKeepsItsStore() {
    List<OutboxStore> before = provider.stores();

    awaitLooks(5);

    assertThat(provider.stores()).containsExactlyElementsOf(before);
    assertThat(made).containsExactly("a", "b");
  }

  @Test
  @Spec("OBX-073")
  void databaseWhoseConfigurationChangedGetsANewStore() {
    OutboxStore before = provider.stores().get(1);

    found =
        List.of(
            OutboxDatabase.of("a", "jdbc:a"), OutboxDatabase.of("b", "jdbc:elsewhere", "u", "p"));

    await().atMost(Duration.ofSeconds(30)).until(() -> provider.stores().get(1) != before);
    assertThat(made).containsExactly("a", "b", "b");
  }

  @Test
  void discoveryThatFailsLeavesWhatIsThere() {
    List<OutboxStore> before = provider.stores();
    failing = true;
    awaitLooks(5);
    assertThat(provider.stores()).containsExactlyElementsOf(before);

    found = List.of(OutboxDatabase.of("a", "jdbc:a"));
    failing = false;

    await().atMost(Duration.ofSeconds(30)).until(() -> provider.stores().size() == 1);
  }

  @Test
  void discoveryThatNamesTwoDatabasesAlikeLeavesWhatIsThere() {
    List<OutboxStore> before = provider.stores();

    found = List.of(OutboxDatabase.of("a", "jdbc:a"), OutboxDatabase.of("a", "jdbc:b"));
    awaitLooks(5);

    assertThat(provider.stores()).containsExactlyElementsOf(before);
  }

  @Test
  void databaseWhoseStoreCannotBeMadeKeepsNoOtherOneWaiting() {
    unmakable = "c";
    found =
        List.of(
            OutboxDatabase.of("a", "jdbc:a"),
            OutboxDatabase.of("c", "jdbc:c"),
            OutboxDatabase.of("d", "jdbc:d"));

    await().atMost(Duration.ofSeconds(30)).until(() -> identifiers().equals(List.of("a", "d")));
    unmakable = "";
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> identifiers().equals(List.of("a", "c", "d")));
    assertThat(made).containsExactly("a", "b", "d", "c");
  }

  @Test
  void listenerThatThrowsIsToldAgain() {
    provider.onChange(
        () -> {
          if (changes.incrementAndGet() < 3) {
            throw new IllegalStateException("not now");
          }
        });

    found = List.of(OutboxDatabase.of("a", "jdbc:a"));
    await().atMost(Duration.ofSeconds(30)).until(() -> changes.get() == 3);
    awaitLooks(5);

    assertThat(changes).hasValue(3);
  }

  @Test
  void discoveryThatFailsIsRepeatedLongBeforeTheInterval() {
    failing = true;
    try (OutboxStoreProvider rare =
        OutboxStoreProvider.discovered(this::discover, Duration.ofHours(1), this::make)) {
      assertThat(rare.stores()).isEmpty();
      failing = false;

      await().atMost(Duration.ofSeconds(30)).until(() -> rare.stores().size() == 2);
    }
  }

  @Test
  void closeClosesTheStoresThatWereNeverHandedOut() {
    List<OutboxStore> seen = provider.stores();
    found = List.of(OutboxDatabase.of("a", "jdbc:a"), OutboxDatabase.of("c", "jdbc:c"));
    await().atMost(Duration.ofSeconds(30)).until(() -> made.contains("c"));
    awaitLooks(1);

    provider.close();

    assertThat(seen).extracting(OutboxStore::identifier).containsExactly("a", "b");
    assertThat(closed).containsExactly("c");
  }

  @Test
  void storesThatWereReplacedBeforeTheyWereHandedOutAreClosed() {
    List<OutboxStore> seen = provider.stores();
    found = List.of(OutboxDatabase.of("c", "jdbc:c"));
    await().atMost(Duration.ofSeconds(30)).until(() -> made.contains("c"));

    found = List.of(OutboxDatabase.of("d", "jdbc:d"));
    await().atMost(Duration.ofSeconds(30)).until(() -> closed.contains("c"));
    assertThat(provider.stores()).extracting(OutboxStore::identifier).containsExactly("d");
    provider.close();

    assertThat(seen).hasSize(2);
    assertThat(closed).containsExactly("c");
  }

  @Test
  void closingEndsTheLooks() {
    provider.close();
    int before = looks.get();
    found = List.of();

    assertThat(provider.stores()).hasSize(2);
    assertThat(looks).hasValue(before);
  }

  @Test
  void aListenerOfChangesCanCloseTheProviderAndEndsItsThread() {
    List<Boolean> interrupted = new CopyOnWriteArrayList<>();
    AtomicReference<Thread> looking = new AtomicReference<>();
    provider.onChange(
        () -> {
          looking.set(Thread.currentThread());
          provider.close();
          interrupted.add(Thread.currentThread().isInterrupted());
        });

    found = List.of();

    await().atMost(Duration.ofSeconds(30)).until(() -> interrupted.equals(List.of(false)));
    await().atMost(Duration.ofSeconds(30)).until(() -> !requireNonNull(looking.get()).isAlive());
    assertThat(looking.get()).matches(Thread::isDaemon);
  }

  @Test
  void storeThatCannotBeMadeIsTriedAgainLongBeforeTheInterval() {
    unmakable = "b";
    try (OutboxStoreProvider rare =
        OutboxStoreProvider.discovered(this::discover, Duration.ofHours(1), this::make)) {
      assertThat(rare.stores()).hasSize(1);
      unmakable = "";

      await().atMost(Duration.ofSeconds(30)).until(() -> rare.stores().size() == 2);
    }
  }

  @Test
  void closingEndsALookThatWaits() {
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch waiting = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    OutboxStoreProvider slow =
        OutboxStoreProvider.discovered(
            () -> {
              if (calls.incrementAndGet() > 1) {
                waiting.countDown();
                try {
                  new CountDownLatch(1).await();
                } finally {
                  interrupted.countDown();
                }
              }
              return List.of();
            },
            OFTEN,
            this::make);
    await().atMost(Duration.ofSeconds(30)).until(() -> waiting.getCount() == 0);

    slow.close();

    await().atMost(Duration.ofSeconds(30)).until(() -> interrupted.getCount() == 0);
  }

  @Test
  void whoIsInterruptedWhileClosingStaysInterrupted() {
    Thread.currentThread().interrupt();

    provider.close();

    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  @Spec("OBX-070")
  void looksEveryFiveMinutesByDefault() {
    assertThat(OutboxDatabaseDiscovery.DEFAULT_INTERVAL).isEqualTo(Duration.ofMinutes(5));
  }

  private void awaitLooks(int more) {
    int before = looks.get();
    await().atMost(Duration.ofSeconds(30)).until(() -> looks.get() >= before + more);
  }

  private List<OutboxDatabase> discover() {
    looks.incrementAndGet();
    if (failing) {
      throw new IllegalStateException("the catalogue is down");
    }
    return found;
  }

  private List<String> identifiers() {
    return provider.stores().stream().map(OutboxStore::identifier).toList();
  }

  private OutboxStore make(OutboxDatabase database) {
    if (database.identifier().equals(unmakable)) {
      throw new IllegalStateException("no driver");
    }
    made.add(database.identifier());
    InMemoryEventStore events = new InMemoryEventStore();
    return OutboxStore.builder(database.identifier(), events.connections(), events)
        .onClose(() -> closed.add(database.identifier()))
        .build();
  }
}
