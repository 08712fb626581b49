package outbox.spring.boot;

import java.util.List;
import java.util.stream.Stream;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import outbox.DeadLetterListener;
import outbox.Outbox;
import outbox.OutboxClient;
import outbox.OutboxConfig;
import outbox.PayloadCodec;
import outbox.inbox.Inbox;
import outbox.jdbc.JdbcOutbox;
import outbox.join.JoinCoordinator;
import outbox.spi.MetricsExporter;
import outbox.spi.Propagation;

/** The outbox of an application, on its data source and in its transactions. */
@AutoConfiguration(
    afterName = {
      BootModules.JDBC_4 + "DataSourceAutoConfiguration",
      BootModules.JDBC_4 + "DataSourceTransactionManagerAutoConfiguration",
      BootModules.HIBERNATE_4 + "HibernateJpaAutoConfiguration",
      BootModules.JDBC_3 + "DataSourceAutoConfiguration",
      BootModules.JDBC_3 + "DataSourceTransactionManagerAutoConfiguration",
      BootModules.HIBERNATE_3 + "HibernateJpaAutoConfiguration",
      "outbox.spring.boot.OutboxJacksonAutoConfiguration",
      "outbox.spring.boot.OutboxMetricsAutoConfiguration",
      "outbox.spring.boot.OutboxObservationAutoConfiguration"
    })
@ConditionalOnBooleanProperty(name = "outbox.enabled", matchIfMissing = true)
@EnableConfigurationProperties(OutboxProperties.class)
@ImportRuntimeHints(OutboxRuntimeHints.class)
public class OutboxAutoConfiguration {

  /** Made by Spring. */
  OutboxAutoConfiguration() {}

  @Bean
  @DependsOnDatabaseInitialization
  OutboxFactory outboxFactory(
      ConfigurableListableBeanFactory beans,
      OutboxProperties properties,
      Environment environment,
      ObjectProvider<Propagation> propagation,
      ObjectProvider<QueueMetrics> queues,
      ObjectProvider<MetricsExporter> exporters,
      ListenerTopics listenerTopics,
      BuilderHooks hooks) {
    Topics topics = new Topics(properties, listenerTopics.settings());
    OutboxConfig config =
        OutboxFactory.explained(
            OutboxFactory.OWN, () -> properties.config(BootLine.usesVirtualThreads(environment)));
    topics.applyTo(config);
    return new OutboxFactory(
        OutboxDatabase.of(beans, properties),
        properties,
        config,
        CombinedPropagation.of(propagation.orderedStream().toList()),
        PayloadCodecs.choose(beans),
        queue -> CombinedMetrics.of(exporters(queue, queues, exporters)),
        topics,
        hooks);
  }

  @Bean
  ListenerTopics outboxListenerTopics(ConfigurableListableBeanFactory beans) {
    return ListenerTopics.of(beans);
  }

  @Bean
  BuilderHooks outboxBuilderHooks(
      ObjectProvider<DeadLetterListener> deadLetters,
      ApplicationEventPublisher events,
      ObjectProvider<OutboxBuilderCustomizer> ofOutbox,
      ObjectProvider<InboxBuilderCustomizer> ofInbox) {
    return new BuilderHooks(new DeadLetterNotices(deadLetters, events), ofOutbox, ofInbox);
  }

  private static List<MetricsExporter> exporters(
      String queue, ObjectProvider<QueueMetrics> queues, ObjectProvider<MetricsExporter> own) {
    return Stream.concat(queues.orderedStream().map(each -> each.of(queue)), own.orderedStream())
        .toList();
  }

  @Bean(destroyMethod = "close")
  @DependsOnDatabaseInitialization
  @ConditionalOnMissingBean
  JdbcOutbox jdbcOutbox(OutboxFactory factory) {
    return factory.outbox();
  }

  @Bean
  @ConditionalOnMissingBean
  OutboxClient outboxClient(JdbcOutbox outbox) {
    return outbox.client();
  }

  @Bean
  @ConditionalOnMissingBean
  Outbox outboxQueue(JdbcOutbox outbox) {
    return outbox.queue();
  }

  /** An outbox of the application's own need not have joins. */
  @Bean
  @Lazy
  @ConditionalOnMissingBean
  @ConditionalOnBooleanProperty(name = "outbox.joins.enabled", matchIfMissing = true)
  JoinCoordinator outboxJoins(JdbcOutbox outbox) {
    return outbox.joins();
  }

  @Bean(destroyMethod = "close")
  LazyInbox lazyInbox(OutboxFactory factory) {
    return new LazyInbox(factory::inbox);
  }

  @Bean(destroyMethod = "") // LazyInbox closes it
  @Lazy
  @ConditionalOnMissingBean
  Inbox outboxInbox(LazyInbox inbox) {
    return inbox.get();
  }

  @Bean
  Outboxes outboxes(ConfigurableListableBeanFactory beans, JdbcOutbox outbox) {
    return new Outboxes(beans, outbox);
  }

  @Bean
  OutboxBuilders outboxBuilders(OutboxFactory factory) {
    return new OutboxBuilders(factory);
  }

  @Bean
  ListenerRegistrar outboxListenerRegistrar(
      ConfigurableListableBeanFactory beans,
      Outboxes outboxes,
      LazyInbox inbox,
      ListenerTopics topics,
      OutboxBuilders builders) {
    PayloadReaders payloads = new PayloadReaders(beans, PayloadCodecs.choose(beans));
    return new ListenerRegistrar(beans, outboxes, builders, inbox, payloads, topics);
  }

  @Bean
  OutboxLifecycle outboxLifecycle(Outboxes outboxes, LazyInbox inbox) {
    return new OutboxLifecycle(outboxes, inbox);
  }

  /** Not only where it is wanted: what is marked must not get lost by a forgotten property. */
  @Bean
  @ConditionalOnBooleanProperty(name = "outbox.application-events", matchIfMissing = true)
  ExternalEventPublisher externalEventPublisher(
      OutboxProperties properties,
      ObjectProvider<OutboxClient> client,
      ObjectProvider<PayloadCodec> codec,
      ConfigurableListableBeanFactory beans) {
    boolean wanted = properties.applicationEvents() != null;
    return new ExternalEventPublisher(wanted, client, codec, beans);
  }
}
