package outbox.spring.boot;

import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import outbox.ConflictingSettingsException;
import outbox.InvalidSettingException;
import outbox.OutboxConfig;
import outbox.PayloadCodec;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcInboxStore;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.schema.UnusableSchemaException;
import outbox.spi.Propagation;
import outbox.spi.UnsupportedDatabaseException;

/** Builds outboxes and the inbox by the properties; none looks for events before it is started. */
record OutboxFactory(
    OutboxDatabase database,
    OutboxProperties properties,
    OutboxConfig config,
    Propagation propagation,
    @Nullable PayloadCodec codec,
    QueueMetrics metrics,
    Topics topics,
    BuilderHooks hooks) {
  static final String OWN = "The outbox";
  private static final String INBOX = "The inbox";

  JdbcOutbox outbox() {
    return explained(OWN, () -> builder(database, QueueMetrics.OUTBOX).buildWithoutStart());
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
    topics.applyTo(builder);
    if (properties.storeName() != null) {
      builder.storeName(properties.storeName());
    }
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
    hooks.applyTo(builder, queue);
    return builder;
  }

  JdbcInbox inbox() {
    return explained(INBOX, () -> inboxBuilder().buildWithoutStart());
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
            .maxPayloadBytes(Math.toIntExact(settings.maxPayloadSize().toBytes()))
            .retention(settings.retention(properties.retention()));
    topics.applyTo(builder);
    if (properties.storeName() != null) {
      builder.storeName(properties.storeName());
    }
    if (codec != null) {
      builder.codec(codec);
    }
    if (properties.node() != null) {
      builder.node(properties.node());
    }
    if (createsSchemaIn(database.dataSource())) {
      builder.createSchema();
    }
    hooks.applyTo(builder);
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
    } catch (UnusableSchemaException e) {
      throw refused(what, e, creation(e));
    } catch (UnsupportedDatabaseException e) {
      throw refused(what, e, "Use one of " + String.join(", ", e.supported()) + ".");
    } catch (InvalidSettingException e) {
      throw refused(what, e, change(what, e.settings()));
    } catch (ConflictingSettingsException e) {
      throw refused(what, e, change(what, e.settings()));
    } catch (IllegalStateException | IllegalArgumentException e) {
      throw refused(what, e, change(what, List.of()));
    }
  }

  private static OutboxSetupException refused(String what, RuntimeException e, String action) {
    return new OutboxSetupException(what + " cannot start: " + e.getMessage() + ".", action, e);
  }

  private static String creation(UnusableSchemaException unusable) {
    String action =
        "Set outbox.schema.initialize=always to have the tables created at the start, run the"
            + " command before it, or add the script to your own migrations: the command above"
            + " prints it, as does "
            + unusable.schema()
            + ".script().";
    return unusable.withJoins()
        ? action + " With outbox.joins.enabled=false it needs no tables of joins."
        : action;
  }

  /** Further ones may be given settings of their own. */
  private static String change(String what, List<String> settings) {
    List<String> properties = SettingNames.of(settings, what.equals(INBOX));
    if (properties.isEmpty()) {
      return "Change the properties under outbox.* that it is about.";
    }
    String inPlace = what.equals(OWN) || what.equals(INBOX) ? "" : ", or what its builder is given";
    return "Change " + String.join(" or ", properties) + inPlace + ".";
  }
}
