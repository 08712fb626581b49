package outbox.engine;

import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.contracts.support.CountingMetrics;
import outbox.dispatch.MultiOutboxDispatcher;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.routing.OutboxStore;
import outbox.routing.OutboxStoreProvider;

/** One process that serves many databases, for which no real one matters. */
@Timeout(180)
abstract class ManyStores {
  static final int PERMITS = 4;

  final Tenant.Meter meter = new Tenant.Meter();
  final Map<String, Tenant> tenants = new ConcurrentHashMap<>();
  final List<OutboxStore> stores = new CopyOnWriteArrayList<>();
  final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  final DefaultListenerRegistry handlers = new DefaultListenerRegistry();
  final CountingMetrics metrics = new CountingMetrics();
  final OutboxConfig config =
      new OutboxConfig()
          .setPollerIntervalMs(200)
          .setPollerBatchSize(10)
          .setDrainTimeout(Duration.ofSeconds(5));
  private final OutboxStoreProvider provider =
      new OutboxStoreProvider() {
        @Override
        public List<OutboxStore> stores() {
          return List.copyOf(stores);
        }

        @Override
        public void onChange(Runnable listener) {
          listeners.add(listener);
        }
      };
  @Nullable MultiOutboxDispatcher running;

  @AfterEach
  void close() {
    if (running != null) {
      running.close();
    }
  }

  Tenant tenant(String name) {
    Tenant tenant = new Tenant(name, meter);
    tenants.put(name, tenant);
    stores.add(tenant.store);
    return tenant;
  }

  static void fill(Tenant tenant, int messages) {
    fill(tenant, "Any", messages);
  }

  static void fill(Tenant tenant, String topic, int messages) {
    try (var connection = tenant.events.connections().getConnection()) {
      for (int i = 0; i < messages; i++) {
        tenant.events.insertNew(connection, EventEnvelope.ofJson(topic, "{}"));
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  MultiOutboxDispatcher.Builder builder() {
    return MultiOutboxDispatcher.builder(provider)
        .config(config.setPollerSkipRecentMs(0))
        .listeners(handlers)
        .metrics(metrics)
        .maxConnections(PERMITS);
  }

  MultiOutboxDispatcher start() {
    MultiOutboxDispatcher started = builder().start();
    running = started;
    return started;
  }

  static int done(Tenant tenant) {
    return tenant.events.count(EventStatus.DONE);
  }

  static void awaitTrue(Callable<Boolean> condition) {
    await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(5)).until(condition);
  }
}
