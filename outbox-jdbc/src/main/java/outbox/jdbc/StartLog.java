package outbox.jdbc;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import outbox.OutboxConfig;
import outbox.internal.text.LogText;
import outbox.registry.ListenerRegistry;

/** Says at INFO what runs when a facade starts, and that it has ended. */
final class StartLog {
  private final Logger log;
  private final JdbcOutboxRepository store;
  private final ListenerRegistry listeners;
  private final OutboxConfig config;

  StartLog(
      Class<?> facade,
      JdbcOutboxRepository store,
      ListenerRegistry listeners,
      OutboxConfig config) {
    this.log = System.getLogger(facade.getName());
    this.store = store;
    this.listeners = listeners;
    this.config = config;
  }

  void started() {
    String version = StartLog.class.getPackage().getImplementationVersion();
    log.log(
        Level.INFO,
        "started version={0} database={1} table={2} listeners={3} workers={4} poll={5} lease={6}",
        version == null ? "unknown" : version,
        LogText.of(store.server()),
        store.tableName(),
        LogText.of(listeners.toString()),
        Integer.toString(config.getDispatcherWorkers()),
        config.isPollerEnabled() ? Duration.ofMillis(config.getPollerIntervalMs()) : "off",
        config.getLeaseDuration());
  }

  void closed() {
    log.log(Level.INFO, "closed table={0}", store.tableName());
  }
}
