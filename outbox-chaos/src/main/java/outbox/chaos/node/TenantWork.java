package outbox.chaos.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.chaos.ledger.Topic;
import outbox.jdbc.JdbcOutboxes;
import outbox.routing.OutboxDatabase;

/** The outboxes of many databases: events go into any of them, one set of workers serves all. */
final class TenantWork implements AutoCloseable {
  private final List<NodePool> pools = new ArrayList<>();
  private final JdbcOutboxes outboxes;

  TenantWork(NodeSettings settings, OutboxConfig config, Calls calls, CrashPoint afterCommit) {
    JdbcOutboxes.Builder builder =
        JdbcOutboxes.builder()
            .node(settings.name())
            .config(config)
            .maxConnections(Pace.SHARED_CONNECTIONS)
            .listener(
                Topic.TENANT.label(),
                event -> calls.run(Topic.TENANT.label(), event.eventId(), () -> {}))
            .transactionalListener(
                Topic.EFFECT.label(),
                (event, connection) ->
                    calls.run(
                        Topic.EFFECT.label(),
                        event.eventId(),
                        () -> Business.effect(connection, event.eventId(), settings.name())));
    for (int i = 0; i < settings.tenants().size(); i++) {
      String url = settings.tenants().get(i);
      builder.databases(List.of(OutboxDatabase.of("tenant-" + i, url)));
      pools.add(new NodePool(url, 2, afterCommit));
    }
    this.outboxes = builder.start();
  }

  void publish(Random random) throws Exception {
    int tenant = random.nextInt(pools.size());
    Topic topic = random.nextInt(3) == 0 ? Topic.EFFECT : Topic.TENANT;
    EventEnvelope event = EventEnvelope.ofJson(topic.label(), "{}");
    Business.inTransaction(
        pools.get(tenant),
        random,
        connection -> {
          Business.insert(connection, event.eventId(), topic, "");
          outboxes.getOutbox("tenant-" + tenant).enqueue(connection, event);
        });
  }

  int connections() {
    return Pace.SHARED_CONNECTIONS
        + pools.stream().mapToInt(p -> p.getHikariPoolMXBean().getTotalConnections()).sum();
  }

  @Override
  public void close() {
    outboxes.close();
    pools.forEach(NodePool::close);
  }
}
