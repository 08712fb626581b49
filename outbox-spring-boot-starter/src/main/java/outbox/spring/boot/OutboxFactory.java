package outbox.spring.boot;

import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import outbox.OutboxConfig;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcInboxStore;
import outbox.jdbc.JdbcJoinStore;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.spi.MetricsExporter;
import outbox.spi.Propagation;

/** Builds outbox and inbox by the properties; neither looks for events before it is started. */
record OutboxFactory(
    OutboxDatabase database,
    OutboxProperties properties,
    OutboxConfig config,
    Propagation propagation,
    QueueMetrics metrics) {

  JdbcOutbox outbox() {
    JdbcOutbox.Builder builder =
        JdbcOutbox.builder(database.dataSource())
            .config(config)
            .store(
                JdbcOutboxRepository.builder()
                    .tableName(properties.table())
                    .deleteWhenDone(properties.deleteWhenDone())
                    .build())
            .transactions(database.txContext(), database.transactionRunner())
            .propagation(propagation)
            .retention(properties.retention().ofOutbox())
            .metrics(metrics.of(QueueMetrics.OUTBOX));
    if (properties.node() != null) {
      builder.node(properties.node());
    }
    if (properties.notifyNodes()) {
      builder.notifyNodes();
    }
    if (properties.joins().enabled()) {
      builder.joins(new JdbcJoinStore().tableName(properties.table()));
    }
    if (createsSchema()) {
      builder.createSchema();
    }
    return explained(builder::build);
  }

  JdbcInbox inbox() {
    OutboxProperties.Inbox settings = properties.inbox();
    MetricsExporter exporter = metrics.of(QueueMetrics.INBOX);
    JdbcInbox.Builder builder =
        JdbcInbox.builder(database.dataSource())
            .config(config)
            .store(JdbcInboxStore.onTable(settings.table()))
            .transactions(database.transactionRunner())
            .propagation(propagation)
            .metrics(exporter)
            .retention(settings.retention());
    if (properties.node() != null) {
      builder.node(properties.node());
    }
    if (createsSchema()) {
      builder.createSchema();
    }
    return explained(builder::build);
  }

  private boolean createsSchema() {
    DataSource dataSource = database.dataSource();
    return switch (properties.schema().initialize()) {
      case ALWAYS -> true;
      case NEVER -> false;
      case EMBEDDED -> EmbeddedDatabaseConnection.isEmbedded(dataSource);
    };
  }

  /** The store tells a missing table by an exception that does not know Spring's properties. */
  private static <T> T explained(Supplier<T> start) {
    try {
      return start.get();
    } catch (IllegalStateException e) {
      String message = String.valueOf(e.getMessage());
      String action =
          message.contains("deploy()")
              ? "Set outbox.schema.initialize=always to have the tables created at the start, or"
                  + " create them with your own migrations from OutboxSchema.of(dataSource).script()."
              : "Change the properties under outbox.* that it names.";
      throw new OutboxSetupException("The outbox cannot start: " + message + ".", action, e);
    }
  }
}
