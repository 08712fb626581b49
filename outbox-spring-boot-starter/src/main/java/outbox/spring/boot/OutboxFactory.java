package outbox.spring.boot;

import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import outbox.OutboxConfig;
import outbox.PayloadCodec;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcInboxStore;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.spi.Propagation;

/** Builds outboxes and the inbox by the properties; none looks for events before it is started. */
record OutboxFactory(
    OutboxDatabase database,
    OutboxProperties properties,
    OutboxConfig config,
    Propagation propagation,
    @Nullable PayloadCodec codec,
    QueueMetrics metrics) {
  static final String OWN = "The outbox";
  private static final String INBOX = "The inbox";

  JdbcOutbox outbox() {
    return explained(OWN, () -> builder(database, QueueMetrics.OUTBOX).build());
  }

  JdbcOutbox.Builder builder(OutboxDatabase on, String queue) {
    JdbcOutbox.Builder builder =
        JdbcOutbox.builder(on.dataSource())
            .config(config)
            .store(
                JdbcOutboxRepository.builder()
                    .tableName(properties.table())
                    .deleteWhenDone(properties.deleteWhenDone())
                    .maxErrorLength(properties.maxErrorTextLength())
                    .build())
            .transactions(on.txContext(), on.transactionRunner())
            .propagation(propagation)
            .retention(properties.retention().ofOutbox())
            .metrics(metrics.of(queue));
    if (codec != null) {
      builder.codec(codec);
    }
    if (properties.node() != null) {
      builder.node(properties.node());
    }
    if (properties.notifyNodes()) {
      builder.notifyNodes();
    }
    if (properties.joins().enabled()) {
      builder.joins(properties.joins().beside(properties.table()));
    }
    if (createsSchemaIn(on.dataSource())) {
      builder.createSchema();
    }
    return builder;
  }

  JdbcInbox inbox() {
    return explained(INBOX, () -> inboxBuilder().build());
  }

  JdbcInbox.Builder inboxBuilder() {
    OutboxProperties.Inbox settings = properties.inbox();
    JdbcInbox.Builder builder =
        JdbcInbox.builder(database.dataSource())
            .config(config)
            .store(
                JdbcInboxStore.onTable(settings.table())
                    .maxErrorLength(properties.maxErrorTextLength()))
            .transactions(database.transactionRunner())
            .propagation(propagation)
            .metrics(metrics.of(QueueMetrics.INBOX))
            .retention(settings.retention());
    if (codec != null) {
      builder.codec(codec);
    }
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
  static <T> T explained(String what, Supplier<T> start) {
    try {
      return start.get();
    } catch (IllegalStateException | IllegalArgumentException e) {
      String message = String.valueOf(e.getMessage());
      String action =
          message.endsWith(".deploy()")
              ? creation(message)
              : change(what, SettingNames.in(message, what.equals(INBOX)));
      throw new OutboxSetupException(what + " cannot start: " + message + ".", action, e);
    }
  }

  /** The message ends with the call that creates the tables; its script has the same. */
  private static String creation(String message) {
    String call = message.substring(message.lastIndexOf(' ') + 1).replace("deploy()", "script()");
    String action =
        "Set outbox.schema.initialize=always to have the tables created at the start, run the"
            + " command before it, or create them with your own migrations from "
            + call
            + ".";
    return call.contains("withJoins")
        ? action + " With outbox.joins.enabled=false it needs no tables of joins."
        : action;
  }

  /** Further ones may be given settings of their own. */
  private static String change(String what, List<String> properties) {
    if (properties.isEmpty()) {
      return "Change the properties under outbox.* that it is about.";
    }
    String inPlace = what.equals(OWN) || what.equals(INBOX) ? "" : ", or what its builder is given";
    return "Change " + String.join(" or ", properties) + inPlace + ".";
  }
}
