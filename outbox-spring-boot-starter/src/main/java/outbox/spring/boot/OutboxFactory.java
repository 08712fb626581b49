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
import outbox.spi.Propagation;

/** Builds outboxes and the inbox by the properties; none looks for events before it is started. */
record OutboxFactory(
    OutboxDatabase database,
    OutboxProperties properties,
    OutboxConfig config,
    Propagation propagation,
    QueueMetrics metrics) {

  JdbcOutbox outbox() {
    return explained(() -> builder(database, QueueMetrics.OUTBOX).build());
  }

  JdbcOutbox.Builder builder(OutboxDatabase on, String queue) {
    JdbcOutbox.Builder builder =
        JdbcOutbox.builder(on.dataSource())
            .config(config)
            .store(
                JdbcOutboxRepository.builder()
                    .tableName(properties.table())
                    .deleteWhenDone(properties.deleteWhenDone())
                    .build())
            .transactions(on.txContext(), on.transactionRunner())
            .propagation(propagation)
            .retention(properties.retention().ofOutbox())
            .metrics(metrics.of(queue));
    if (properties.node() != null) {
      builder.node(properties.node());
    }
    if (properties.notifyNodes()) {
      builder.notifyNodes();
    }
    if (properties.joins().enabled()) {
      builder.joins(new JdbcJoinStore().tableName(properties.table()));
    }
    if (createsSchemaIn(on.dataSource())) {
      builder.createSchema();
    }
    return builder;
  }

  JdbcInbox inbox() {
    return explained(() -> inboxBuilder().build());
  }

  private JdbcInbox.Builder inboxBuilder() {
    OutboxProperties.Inbox settings = properties.inbox();
    JdbcInbox.Builder builder =
        JdbcInbox.builder(database.dataSource())
            .config(config)
            .store(JdbcInboxStore.onTable(settings.table()))
            .transactions(database.transactionRunner())
            .propagation(propagation)
            .metrics(metrics.of(QueueMetrics.INBOX))
            .retention(settings.retention());
    if (properties.node() != null) {
      builder.node(properties.node());
    }
    if (createsSchemaIn(database.dataSource())) {
      builder.createSchema();
    }
    return builder;
  }

  private boolean createsSchemaIn(DataSource dataSource) {
    return switch (properties.schema().initialize()) {
      case ALWAYS -> true;
      case NEVER -> false;
      case EMBEDDED -> EmbeddedDatabaseConnection.isEmbedded(dataSource);
    };
  }

  /** The engine tells what is wrong by exceptions that do not know Spring's properties. */
  static <T> T explained(Supplier<T> start) {
    try {
      return start.get();
    } catch (IllegalStateException | IllegalArgumentException e) {
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
