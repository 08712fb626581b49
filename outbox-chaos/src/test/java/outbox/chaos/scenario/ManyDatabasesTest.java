package outbox.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.chaos.scenario.TenantServer.Usage;
import outbox.contracts.support.Spec;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.JdbcOutboxes;
import outbox.jdbc.db.CuttableProxy;
import outbox.routing.OutboxDatabase;

/**
 * Many databases on one server from one process, with far fewer connections. One is dropped and one
 * does not answer: the others do not notice.
 *
 * <p>30 databases and 6 connections; 300 and 40 with {@code -Doutbox.chaos=full}, which also holds
 * the limits of time, for which the machine must be quiet.
 */
@Tag("slow")
class ManyDatabasesTest {
  private static final int DATABASES = Chaos.isFull() ? 300 : 30;
  private static final int CONNECTIONS = Chaos.isFull() ? 40 : 6;

  /** A busy server takes its time to end the sessions that were closed. */
  private static final int ENDING = Chaos.isFull() ? 0 : 2;

  private static final Duration IDLE_LIMIT = Duration.ofSeconds(Chaos.isFull() ? 6 : 60);
  private static final Duration WOKEN_LIMIT = Duration.ofMillis(Chaos.isFull() ? 50 : 5000);
  private static final Duration SETTLING = Duration.ofSeconds(Chaos.isFull() ? 15 : 5);
  private static final Duration MEASURED = Duration.ofSeconds(Chaos.isFull() ? 30 : 5);

  private final Map<String, Long> handledAt = new ConcurrentHashMap<>();
  private final JdbcOutboxRepository rows = new JdbcOutboxRepository();
  private TenantServer server;
  private CuttableProxy proxy;
  private OutageLog log;

  @BeforeEach
  void open() throws Exception {
    server = new TenantServer(DATABASES);
    proxy = CuttableProxy.to(server.port());
    log = new OutageLog();
  }

  @AfterEach
  void close() throws Exception {
    log.close();
    proxy.close();
    server.close();
  }

  @Test
  @Spec({"OBX-060", "OBX-101", "OBXU-05"})
  void manyDatabasesShareFewConnectionsAndOneThatFailsHarmsNoOther() throws Exception {
    List<String> all = server.names();
    String dropped = all.get(1);
    String dark = all.get(2);
    List<String> rest =
        all.stream().filter(name -> !List.of(dropped, dark).contains(name)).toList();
    try (SessionWatch sessions = new SessionWatch(server);
        JdbcOutboxes outboxes = start(dark)) {
      publish(outboxes, all);
      report("first messages", insertBehind(all));
      report("idle: " + idleCost());
      assertThat(report("found when idle", insertBehind(rest))).isLessThan(IDLE_LIMIT);
      assertThat(report("published", publish(outboxes, rest))).isLessThan(WOKEN_LIMIT);

      server.drop(dropped);
      proxy.stall(true);
      await().atMost(Chaos.PATIENCE).until(() -> log.outages() == 2);
      assertThat(report("found, two fail", insertBehind(rest))).isLessThan(IDLE_LIMIT);
      assertThat(report("published, two fail", publish(outboxes, rest))).isLessThan(WOKEN_LIMIT);
      assertThat(log.outages()).as(log.toString()).isEqualTo(2);
      assertThat(log.toString()).contains("store=" + dropped).contains("store=" + dark);

      proxy.stall(false);
      report("of the one that is back", publish(outboxes, List.of(dark)));
      report("most sessions " + sessions.most());
      assertThat(sessions.most()).isLessThanOrEqualTo(CONNECTIONS + ENDING);
    }
  }

  private JdbcOutboxes start(String dark) {
    List<OutboxDatabase> databases = new ArrayList<>();
    for (String name : server.names()) {
      String url = server.url(name);
      String through = url.replace(":" + server.port() + "/", ":" + proxy.port() + "/");
      databases.add(OutboxDatabase.of(name, name.equals(dark) ? through : url));
    }
    return JdbcOutboxes.builder()
        .databases(databases)
        .maxConnections(CONNECTIONS)
        .listenerOfAll(event -> handledAt.put(event.eventId(), System.nanoTime()))
        .start();
  }

  /** Enqueues one message after the other; returns how long the slowest took from its commit. */
  private Latencies publish(JdbcOutboxes outboxes, List<String> tenants) {
    Latencies latencies = new Latencies();
    for (String tenant : tenants) {
      String id = outboxes.getOutbox(tenant).enqueue("Any", "{}").id().value();
      long committed = System.nanoTime();
      latencies.add(awaitHandled(id) - committed);
    }
    return latencies;
  }

  /** Stores messages without announcing them, in all databases at once. */
  private Latencies insertBehind(List<String> tenants) throws Exception {
    Map<String, Long> committed = new HashMap<>();
    for (String tenant : tenants) {
      EventEnvelope event = EventEnvelope.ofJson("Any", "{}");
      try (Connection connection = server.connect(tenant)) {
        rows.insertNew(connection, event);
      }
      committed.put(event.eventId(), System.nanoTime());
    }
    Latencies latencies = new Latencies();
    committed.forEach((id, at) -> latencies.add(awaitHandled(id) - at));
    return latencies;
  }

  private long awaitHandled(String id) {
    await()
        .atMost(Chaos.PATIENCE)
        .pollInterval(Duration.ofMillis(1))
        .until(() -> handledAt.containsKey(id));
    return Objects.requireNonNull(handledAt.get(id));
  }

  /** Once every database has been found idle often enough to be looked into rarely. */
  private String idleCost() throws Exception {
    await().pollDelay(SETTLING).atMost(Chaos.PATIENCE).until(() -> true);
    Usage before = server.usage();
    await().pollDelay(MEASURED).atMost(Chaos.PATIENCE).until(() -> true);
    return server.usage().since(before);
  }

  private static Duration report(String what, Latencies latencies) {
    report(what + " " + latencies);
    return latencies.longest();
  }

  private static void report(String figures) {
    Chaos.report("many databases (" + DATABASES + ", " + CONNECTIONS + " connections): " + figures);
  }

  /** From commit to handler. */
  private static final class Latencies {
    private final List<Long> nanos = new ArrayList<>();

    void add(long latency) {
      nanos.add(latency);
    }

    Duration longest() {
      return Duration.ofNanos(sorted().get(nanos.size() - 1));
    }

    private List<Long> sorted() {
      return nanos.stream().sorted().toList();
    }

    @Override
    public String toString() {
      return String.format(
          "p50 %.1f ms, longest %.1f ms, n=%d",
          sorted().get(nanos.size() / 2) / 1e6, longest().toNanos() / 1e6, nanos.size());
    }
  }
}
