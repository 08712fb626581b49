package outbox.spring.boot;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.Retention;
import outbox.admin.AdminConfig;
import outbox.admin.data.OperatedDatabase;
import outbox.dispatch.Retries;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcInboxStore;
import outbox.jdbc.JdbcJoinStore;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcOutboxRepositoryBuilder;
import outbox.spring.boot.PropertyMetadata.Property;

/** Whatever an option of the library's builders does, an application of Spring Boot can have. */
class BuilderOptionsTest {
  private static final String LISTENER = "bean or method with @OutboxListener";
  private static final String HANDLER = "bean or method with @InboxListener";
  private static final String CUSTOMIZER = "bean outbox.spring.boot.OutboxBuilderCustomizer";
  private static final String INBOX_CUSTOMIZER = "bean outbox.spring.boot.InboxBuilderCustomizer";
  private static final String OTHER_FORM = "another form of an option of this table";

  /** Each option with its properties, or with the other way to set it. */
  private static final Map<String, String> WAYS =
      Map.ofEntries(
          entry("JdbcOutbox.batchListener", CUSTOMIZER),
          entry("JdbcOutbox.batchListenerOfAll", CUSTOMIZER),
          entry("JdbcOutbox.transactionalBatchListener", CUSTOMIZER),
          entry("Retries.releasingKey", CUSTOMIZER),
          entry("JdbcOutbox.codec", "bean outbox.PayloadCodec"),
          entry("JdbcOutbox.config", "outbox.dispatcher.workers"),
          entry("JdbcOutbox.createSchema", "outbox.schema.initialize"),
          entry("JdbcOutbox.handler", LISTENER),
          entry("JdbcOutbox.joins", "outbox.joins.enabled"),
          entry("JdbcOutbox.keepForever", "outbox.retention.keep-forever"),
          entry("JdbcOutbox.listener", LISTENER),
          entry("JdbcOutbox.listenerOfAll", LISTENER),
          entry("JdbcOutbox.metrics", "bean outbox.spi.MetricsExporter"),
          entry("JdbcOutbox.node", "outbox.node"),
          entry("JdbcOutbox.notifyNodes", "outbox.notify-nodes"),
          entry("JdbcOutbox.onDead", "bean outbox.DeadLetterListener"),
          entry("JdbcOutbox.propagation", "bean outbox.spi.Propagation"),
          entry("JdbcOutbox.retention", "outbox.retention.completed"),
          entry("JdbcOutbox.retries", "outbox.topics"),
          entry("JdbcOutbox.store", "outbox.table"),
          entry("JdbcOutbox.storeName", "outbox.store-name"),
          entry("JdbcOutbox.transactionalHandler", LISTENER),
          entry("JdbcOutbox.transactionalListener", LISTENER),
          entry("JdbcOutbox.transactions", "outbox.transaction-manager"),
          entry("JdbcInbox.batchHandler", INBOX_CUSTOMIZER),
          entry("JdbcInbox.transactionalBatchHandler", INBOX_CUSTOMIZER),
          entry("JdbcInbox.codec", "bean outbox.PayloadCodec"),
          entry("JdbcInbox.config", "outbox.dispatcher.workers"),
          entry("JdbcInbox.createSchema", "outbox.schema.initialize"),
          entry("JdbcInbox.handler", HANDLER),
          entry("JdbcInbox.keepForever", "outbox.inbox.keep-forever"),
          entry("JdbcInbox.maxPayloadBytes", "outbox.inbox.max-payload-size"),
          entry("JdbcInbox.metrics", "bean outbox.spi.MetricsExporter"),
          entry("JdbcInbox.node", "outbox.node"),
          entry("JdbcInbox.onDead", "bean outbox.DeadLetterListener"),
          entry("JdbcInbox.propagation", "bean outbox.spi.Propagation"),
          entry("JdbcInbox.publishingTo", "outbox.transaction-manager"),
          entry("JdbcInbox.retention", "outbox.inbox.dedup-window"),
          entry("JdbcInbox.retries", "outbox.topics"),
          entry("JdbcInbox.store", "outbox.inbox.table"),
          entry("JdbcInbox.storeName", "outbox.store-name"),
          entry("JdbcInbox.transactionalHandler", HANDLER),
          entry("JdbcInbox.transactions", "outbox.transaction-manager"),
          entry("JdbcOutboxRepository.deleteWhenDone", "outbox.delete-when-done"),
          entry("JdbcOutboxRepository.maxErrorLength", "outbox.max-error-text-length"),
          entry("JdbcOutboxRepository.tableName", "outbox.table"),
          entry("JdbcOutboxRepository.terminalHook", CUSTOMIZER),
          entry("JdbcInboxStore.maxErrorLength", "outbox.max-error-text-length"),
          entry("JdbcInboxStore.onTable", "outbox.inbox.table"),
          entry("JdbcJoinStore.joinTableName", "outbox.joins.table"),
          entry("JdbcJoinStore.tableName", "outbox.table"),
          entry("JdbcJoinStore.waitTopic", "outbox.joins.wait-topic"),
          entry("Retention.batchSize", "outbox.retention.batch-size"),
          entry("Retention.completed", "outbox.retention.completed outbox.inbox.dedup-window"),
          entry("Retention.dead", "outbox.retention.dead outbox.inbox.dead-retention"),
          entry("Retention.interval", "outbox.retention.interval"),
          entry("Retention.joins", "outbox.retention.joins"),
          entry("Retention.keepForever", OTHER_FORM),
          entry("Retention.ofInbox", OTHER_FORM),
          entry("Retention.ofOutbox", OTHER_FORM),
          entry("Retention.pause", "outbox.retention.pause"),
          entry("Retention.payloads", "outbox.inbox.payload-retention"),
          entry("Retention.turn", CUSTOMIZER),
          entry("Retries.always", "outbox.retry.always outbox.topics.always-retry"),
          entry("Retries.exponential", "outbox.retry.base-delay outbox.topics.base-delay"),
          entry("Retries.fixed", "outbox.retry.use-exponential-backoff"),
          entry("Retries.jitter", "outbox.retry.jitter outbox.topics.jitter"),
          entry("Retries.maxAge", "outbox.retry.max-age outbox.topics.max-age"),
          entry("Retries.maxAttempts", "outbox.retry.max-attempts outbox.topics.max-attempts"),
          entry("Retries.moderate", OTHER_FORM),
          entry("Retries.never", "outbox.retry.never outbox.topics.never-retry"),
          entry("Retries.of", CUSTOMIZER),
          entry("Retries.patient", OTHER_FORM),
          entry("Retries.quick", OTHER_FORM),
          entry("AdminConfig.access", "bean outbox.admin.AdminConfig"),
          entry("AdminConfig.database", "bean outbox.admin.AdminConfig"),
          entry("AdminConfig.withoutDashboard", "bean outbox.admin.AdminConfig"),
          entry("AdminConfig.adminToken", "outbox.admin.admin-tokens"),
          entry("AdminConfig.allowedHost", "outbox.admin.allowed-hosts"),
          entry("AdminConfig.allowedOrigin", "outbox.admin.allowed-origins"),
          entry("AdminConfig.anonymousRead", "outbox.admin.anonymous-read"),
          entry("AdminConfig.apiPath", "outbox.admin.api-path"),
          entry("AdminConfig.containerRoles", "outbox.admin.read-role outbox.admin.admin-role"),
          entry("AdminConfig.dashboardPath", "outbox.admin.path"),
          entry("AdminConfig.healthEndpoint", "outbox.admin.health-endpoint.path"),
          entry("AdminConfig.login", "outbox.admin.login"),
          entry("AdminConfig.metricsEndpoint", "outbox.admin.metrics-endpoint.path"),
          entry("AdminConfig.prometheus", "outbox.admin.prometheus"),
          entry("AdminConfig.readToken", "outbox.admin.read-tokens"),
          entry("AdminConfig.redaction", "bean outbox.admin.Redaction"),
          entry("AdminConfig.sampling", "outbox.admin.sampling"),
          entry("AdminConfig.showPayloads", "outbox.admin.payloads-for"),
          entry("AdminConfig.thresholds", "outbox.admin.health.degraded.backlog"),
          entry("OperatedDatabase.activity", "outbox.admin.rates"),
          entry("OperatedDatabase.inboxTable", "outbox.inbox.table"),
          entry("OperatedDatabase.joinTable", "outbox.joins.table"),
          entry("OperatedDatabase.oldFailures", "outbox.admin.old-failures"),
          entry("OperatedDatabase.onInboxReplay", "bean outbox.admin.AdminConfig"),
          entry("OperatedDatabase.onReplay", "bean outbox.admin.AdminConfig"),
          entry("OperatedDatabase.outboxTable", "outbox.table"),
          entry("OperatedDatabase.timeLimit", "outbox.admin.time-limit"),
          entry("OperatedDatabase.waitTopic", "outbox.joins.wait-topic"),
          entry("OperatedDatabase.window", "outbox.admin.window"));

  @Test
  void everyOptionHasAWayAndEveryWayIsOfAnOption() {
    Set<String> options = new TreeSet<>();
    options.addAll(optionsOf("JdbcOutbox", JdbcOutbox.Builder.class));
    options.addAll(optionsOf("JdbcInbox", JdbcInbox.Builder.class));
    options.addAll(optionsOf("JdbcOutboxRepository", JdbcOutboxRepositoryBuilder.class));
    options.addAll(optionsOf("JdbcInboxStore", JdbcInboxStore.class));
    options.addAll(optionsOf("JdbcJoinStore", JdbcJoinStore.class));
    options.addAll(optionsOf("Retention", Retention.class));
    options.addAll(optionsOf("Retries", Retries.class));
    options.addAll(optionsOf("AdminConfig", AdminConfig.Builder.class));
    options.addAll(optionsOf("OperatedDatabase", OperatedDatabase.Builder.class));

    assertThat(WAYS.keySet()).containsExactlyInAnyOrderElementsOf(options);
  }

  /** What returns its own kind sets something. */
  private static Set<String> optionsOf(String name, Class<?> builder) {
    return Stream.of(builder.getMethods())
        .filter(method -> isOption(method, builder))
        .map(method -> name + "." + method.getName())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static boolean isOption(Method method, Class<?> builder) {
    return method.getReturnType().isAssignableFrom(builder)
        && method.getReturnType() != Object.class
        && !method.getDeclaringClass().equals(Object.class);
  }

  static List<String> ways() {
    return WAYS.values().stream()
        .flatMap(way -> Stream.of(way.split("(?<!bean) (?=outbox\\.)")))
        .distinct()
        .toList();
  }

  @ParameterizedTest
  @MethodSource("ways")
  void eachWayExists(String way) throws Exception {
    if (way.startsWith("outbox.topics.")) {
      assertThat(topicProperties()).contains(way.substring("outbox.topics.".length()));
    } else if (way.startsWith("outbox.")) {
      assertThat(PropertyMetadata.all()).extracting(Property::name).contains(way);
    } else if (way.startsWith("bean outbox.")) {
      assertThat(Class.forName(way.substring("bean ".length()))).isPublic();
    }
  }

  /** The metadata have the map only; editors complete the rest by the class of its values. */
  static List<String> topicProperties() {
    return Stream.of(OutboxProperties.Topic.class.getRecordComponents())
        .map(RecordComponent::getName)
        .map(name -> name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("topicProperties")
  void eachSettingOfATopicIsInTheTableAndOnThePage(String property) throws Exception {
    assertThat(PropertyTable.ROWS)
        .extracting(PropertyTable.Row::setting)
        .anyMatch(setting -> setting.contains("]." + property + "="));
    assertThat(Files.readString(Path.of("../docs/spring.md"))).contains("\n| `" + property + "` |");
  }
}
