package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.OutboxConfig;
import outbox.OutboxMessage;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxMessage;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.OutboxSchema;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What cannot work fails at the start, and says what to do. */
class FailedStartTest {
  private final ApplicationContextRunner outboxAlone =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  OutboxAutoConfiguration.class,
                  OutboxJacksonAutoConfiguration.class,
                  JacksonAutoConfiguration.class));

  private final ApplicationContextRunner application =
      outboxAlone
          .withConfiguration(
              AutoConfigurations.of(
                  DataSourceAutoConfiguration.class,
                  DataSourceTransactionManagerAutoConfiguration.class))
          .withPropertyValues("spring.datasource.generate-unique-name=true");

  @Test
  void withoutDataSource() {
    FailureAnalysis failure = failureOf(outboxAlone);

    assertThat(failure.getDescription()).contains("needs a DataSource", "has none");
    assertThat(failure.getAction()).contains("spring.datasource.url", "outbox.enabled=false");
  }

  @Test
  void withTwoDataSourcesAndNoChoice() {
    FailureAnalysis failure = failureOf(outboxAlone.withUserConfiguration(TwoDataSources.class));

    assertThat(failure.getDescription()).contains("several: first, second");
    assertThat(failure.getAction()).contains("outbox.datasource", "@Primary");
  }

  @Test
  void withDataSourceThatDoesNotExist() {
    FailureAnalysis failure =
        failureOf(
            outboxAlone
                .withUserConfiguration(TwoDataSources.class)
                .withPropertyValues("outbox.datasource=third"));

    assertThat(failure.getDescription()).contains("outbox.datasource (third) names no bean");
    assertThat(failure.getAction()).contains("first, second");
  }

  @Test
  void withTwoDataSourcesAndAChoiceItStarts() {
    outboxAlone
        .withUserConfiguration(TwoDataSources.class)
        .withPropertyValues("outbox.datasource=second")
        .run(
            context ->
                assertThat(context.getBean(OutboxFactory.class).database().dataSource())
                    .isSameAs(context.getBean("second")));
  }

  @Test
  void withTransactionManagerOfAnotherDataSource() {
    FailureAnalysis failure =
        failureOf(
            outboxAlone
                .withUserConfiguration(TwoDataSources.class, ManagerOfFirst.class)
                .withPropertyValues(
                    "outbox.datasource=second", "outbox.transaction-manager=manager"));

    assertThat(failure.getDescription())
        .contains("outbox.transaction-manager (manager) is not that of the outbox's DataSource");
    assertThat(failure.getAction()).contains("transaction manager of that DataSource");
  }

  @Test
  void withSecondOutboxInTransactionsOfAnotherDataSource() {
    FailureAnalysis failure =
        failureOf(
            outboxAlone
                .withUserConfiguration(
                    TwoDataSources.class, ManagerOfFirst.class, OutboxOfSecond.class)
                .withPropertyValues("outbox.datasource=first"));

    assertThat(failure.getDescription()).contains("is not that of the outbox's DataSource");
  }

  @Test
  void withSecondOutboxWithoutTables() {
    FailureAnalysis failure =
        failureOf(
            outboxAlone
                .withUserConfiguration(TwoDatabases.class, WithoutTables.class)
                .withPropertyValues("outbox.schema.initialize=never"));

    assertThat(failure.getDescription()).contains("The outbox another cannot start", "is missing");
    assertThat(failure.getAction()).contains("outbox.schema.initialize=always");
  }

  @Test
  void withSecondOutboxWhoseSettingsContradictEachOther() {
    assertThat(
            failureOf(outboxAlone.withUserConfiguration(TwoDatabases.class, WrongSettings.class))
                .getDescription())
        .contains("The outbox another cannot start", "leaseDuration (PT0.05S)");
  }

  @ParameterizedTest
  @ValueSource(classes = {SameQueueTwice.class, QueueOfTheFirst.class})
  void withTwoOutboxesOfOneQueueName(Class<?> application) {
    FailureAnalysis failure =
        failureOf(outboxAlone.withUserConfiguration(TwoDatabases.class, application));

    assertThat(failure.getDescription()).contains("The queue", "is there already");
    assertThat(failure.getAction()).contains("a queue name of its own");
  }

  @Test
  void withTwoOutboxesOfOneQualifier() {
    assertThat(
            failureOf(outboxAlone.withUserConfiguration(TwoDatabases.class, SameQualifier.class))
                .getDescription())
        .contains("SameQualifier.on", "outbox ledger, which are several beans");
  }

  @Test
  void withTwoCodecs() {
    FailureAnalysis failure = failureOf(application.withUserConfiguration(TwoCodecs.class));

    assertThat(failure.getDescription()).contains("several: one, two");
    assertThat(failure.getAction()).contains("@Primary");
  }

  @ParameterizedTest
  @ValueSource(classes = {NamelessTopic.class, NamelessBean.class, NamelessInboxTopic.class})
  void withEmptyTopic(Class<?> listener) {
    FailureAnalysis failure = failureOf(application.withUserConfiguration(listener));

    assertThat(failure.getDescription())
        .containsIgnoringCase(listener.getSimpleName())
        .contains("cannot listen");
    assertThat(failure.getAction()).contains("Name one topic");
  }

  @Test
  void withPrivateMethodOfAProxiedBean() {
    FailureAnalysis failure =
        failureOf(application.withUserConfiguration(ProxiesOfClasses.class, PrivateListener.class));

    assertThat(failure.getDescription()).contains("PrivateListener.on", "cannot listen");
    assertThat(failure.getAction()).contains("not private");
  }

  @Test
  void withMethodThatTheProxyOfItsBeanDoesNotHave() {
    FailureAnalysis failure =
        failureOf(
            application.withUserConfiguration(ProxiesOfInterfaces.class, HiddenListener.class));

    assertThat(failure.getDescription()).contains("HiddenListener.on", "cannot listen");
    assertThat(failure.getAction()).contains("declared in an interface");
  }

  @Test
  void withProxyOfTheDataSourceOfItsTransactionManagerItStarts() {
    outboxAlone
        .withUserConfiguration(TwoDataSources.class, ManagerOfFirst.class, ProxyOfFirst.class)
        .withPropertyValues("outbox.datasource=proxy")
        .run(
            context ->
                assertThat(context.getBean(OutboxFactory.class).database())
                    .extracting(OutboxDatabase::dataSource, OutboxDatabase::transactionManager)
                    .containsExactly(context.getBean("first"), context.getBean("manager")));
  }

  @Test
  void withListenerOfAnOutboxThatDoesNotExist() {
    FailureAnalysis failure = failureOf(application.withUserConfiguration(NoSuchOutbox.class));

    assertThat(failure.getDescription()).contains("NoSuchOutbox.on", "outbox billing");
    assertThat(failure.getAction()).contains("jdbcOutbox");
  }

  @Test
  void withParameterThatIsABean() {
    assertThat(failureOf(application.withUserConfiguration(WantsBean.class)).getDescription())
        .contains("WantsBean.on", "org.springframework.jdbc.core.JdbcTemplate, which is a bean");
  }

  @Test
  void withParameterThatJsonCannotMake() {
    assertThat(failureOf(application.withUserConfiguration(WantsInterface.class)).getDescription())
        .contains("AutoCloseable, which no payload can be read as");
  }

  @Test
  void withParametersThatJsonCanMakeItStarts() {
    application
        .withUserConfiguration(WantsContainers.class)
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void withTypeVariableThatNobodyResolves() {
    assertThat(failureOf(application.withUserConfiguration(Unresolved.class)).getDescription())
        .contains("cannot be bound: T");
  }

  @Test
  void withAnnotatedClassThatIsNoListener() {
    FailureAnalysis failure = failureOf(application.withUserConfiguration(NoListener.class));

    assertThat(failure.getDescription()).contains("carries @OutboxListener, but is no listener");
    assertThat(failure.getAction()).contains("EventListener");
  }

  @Test
  void withApplicationEventsButNothingThatWritesThem() {
    FailureAnalysis failure =
        failureOf(
            new ApplicationContextRunner()
                .withConfiguration(
                    AutoConfigurations.of(
                        OutboxAutoConfiguration.class, DataSourceAutoConfiguration.class))
                .withPropertyValues(
                    "spring.datasource.generate-unique-name=true",
                    "outbox.application-events=true"));

    assertThat(failure.getDescription()).contains("outbox.application-events (true)");
    assertThat(failure.getAction()).contains("PayloadCodec");
  }

  @Test
  void withParameterThatCannotBeBound() {
    FailureAnalysis failure = failureOf(application.withUserConfiguration(Unbindable.class));

    assertThat(failure.getDescription())
        .contains("@OutboxListener method", "Unbindable.on", "cannot be bound: int");
    assertThat(failure.getAction()).contains("EventEnvelope", "HandlerContext", "Connection");
  }

  @Test
  void withMessageOfTheOtherSide() {
    assertThat(failureOf(application.withUserConfiguration(WrongSide.class)).getDescription())
        .contains("cannot be bound: outbox.inbox.InboxMessage");
  }

  @Test
  void withTwoPayloads() {
    assertThat(failureOf(application.withUserConfiguration(TwoPayloads.class)).getDescription())
        .contains("has 2 parameters for the payload");
  }

  @Test
  void withResultThatNobodyWants() {
    FailureAnalysis failure = failureOf(application.withUserConfiguration(ReturnsText.class));

    assertThat(failure.getDescription()).contains("returns java.lang.String");
    assertThat(failure.getAction()).contains("HandlerResult");
  }

  @Test
  void withTwoListenersOfAnInboxTopic() {
    FailureAnalysis failure = failureOf(application.withUserConfiguration(TwoInboxListeners.class));

    assertThat(failure.getDescription())
        .contains(
            "Topic paid of the inbox has two listeners", "TwoInboxListeners.on", "bean plain");
  }

  @Test
  void withPlainListenerWithoutTopic() {
    FailureAnalysis failure = failureOf(application.withUserConfiguration(NoTopic.class));

    assertThat(failure.getDescription()).contains("Bean plain is an EventListener");
    assertThat(failure.getAction()).contains("@OutboxListener(\"topic\")");
  }

  @Test
  void withoutSchema() {
    FailureAnalysis failure =
        failureOf(application.withPropertyValues("outbox.schema.initialize=never"));

    assertThat(failure.getDescription()).contains("is missing");
    assertThat(failure.getAction()).contains("outbox.schema.initialize=always");
  }

  @Test
  void withSettingsThatContradictEachOther() {
    assertThat(
            failureOf(application.withPropertyValues("outbox.dispatcher.lease-duration=50ms"))
                .getDescription())
        .contains("leaseDuration (PT0.05S) must be longer than twice flushInterval");
  }

  @ParameterizedTest
  @CsvSource({
    "outbox.dispatcher.workers=0,dispatcherWorkers (0) must be at least 1",
    "outbox.table=a b,a b",
    "outbox.retention.completed=-1d,completed (PT-24H)"
  })
  void withSettingThatIsOutOfRange(String property, String complaint) {
    FailureAnalysis failure = failureOf(application.withPropertyValues(property));

    assertThat(failure.getDescription()).contains("The outbox cannot start", complaint);
    assertThat(failure.getAction()).contains("outbox.*");
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void userSeesTheReasonInsteadOfAStackTrace(CapturedOutput output) {
    SpringApplication broken = new SpringApplication(Unbindable.class, Automatic.class);
    Throwable thrown =
        catchThrowableOfType(
            Exception.class,
            () ->
                broken.run(
                    "--spring.main.web-application-type=none",
                    "--spring.datasource.generate-unique-name=true"));

    assertThat(thrown).isInstanceOf(OutboxSetupException.class);
    assertThat(output)
        .contains("APPLICATION FAILED TO START", "cannot be bound: int", "Action:")
        .doesNotContain("\tat outbox");
  }

  private static FailureAnalysis failureOf(ApplicationContextRunner runner) {
    FailureAnalysis[] analysis = new FailureAnalysis[1];
    runner.run(
        context ->
            analysis[0] =
                new OutboxFailureAnalyzer()
                    .analyze(Objects.requireNonNull(context.getStartupFailure())));
    assertThat(analysis[0]).as("an explained failure").isNotNull();
    return analysis[0];
  }

  @EnableAutoConfiguration
  static class Automatic {}

  @Configuration(proxyBeanMethods = false)
  static class TwoDataSources {
    @Bean
    DataSource first() {
      return database("first");
    }

    @Bean
    DataSource second() {
      return database("second");
    }

    private static DataSource database(String name) {
      return DataSourceBuilder.create().url("jdbc:h2:mem:" + name).username("sa").build();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class ManagerOfFirst {
    @Bean
    PlatformTransactionManager manager(@Qualifier("first") DataSource dataSource) {
      return new JdbcTransactionManager(dataSource);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class ProxyOfFirst {
    @Bean
    DataSource proxy(@Qualifier("first") DataSource dataSource) {
      return new TransactionAwareDataSourceProxy(dataSource);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OutboxOfSecond {
    @Bean(defaultCandidate = false)
    JdbcOutbox another(
        OutboxBuilders outboxes,
        @Qualifier("second") DataSource dataSource,
        PlatformTransactionManager managerOfFirst) {
      return outboxes.build("another", dataSource, managerOfFirst);
    }
  }

  /** The first has its tables. */
  @Configuration(proxyBeanMethods = false)
  static class TwoDatabases {
    @Bean
    DataSource first() {
      DataSource dataSource = TwoDataSources.database("with-tables");
      OutboxSchema.of(dataSource).withJoins().deploy();
      return dataSource;
    }

    @Bean(defaultCandidate = false)
    DataSource second() {
      return TwoDataSources.database("without-tables");
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class WithoutTables {
    @Bean(defaultCandidate = false)
    JdbcOutbox another(OutboxBuilders outboxes, @Qualifier("second") DataSource second) {
      return outboxes.build("another", second, new JdbcTransactionManager(second));
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class WrongSettings {
    @Bean(defaultCandidate = false)
    JdbcOutbox another(OutboxBuilders outboxes, @Qualifier("second") DataSource second) {
      OutboxConfig wrong = new OutboxConfig().setLeaseDuration(Duration.ofMillis(50));
      return outboxes.build(
          "another", second, new JdbcTransactionManager(second), builder -> builder.config(wrong));
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class QueueOfTheFirst {
    @Bean(defaultCandidate = false)
    JdbcOutbox another(OutboxBuilders outboxes, @Qualifier("second") DataSource second) {
      return outboxes.build("outbox", second, new JdbcTransactionManager(second));
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class SameQueueTwice {
    @Bean(defaultCandidate = false, destroyMethod = "close")
    JdbcOutbox another(OutboxBuilders outboxes, @Qualifier("second") DataSource second) {
      return outboxes.build("another", second, new JdbcTransactionManager(second));
    }

    @Bean(defaultCandidate = false)
    JdbcOutbox third(OutboxBuilders outboxes, @Qualifier("second") DataSource second) {
      return outboxes.build("another", second, new JdbcTransactionManager(second));
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class SameQualifier {
    @Bean(defaultCandidate = false)
    @Qualifier("ledger")
    JdbcOutbox another(OutboxBuilders outboxes, @Qualifier("second") DataSource second) {
      return outboxes.build("another", second, new JdbcTransactionManager(second));
    }

    @Bean(defaultCandidate = false)
    @Qualifier("ledger")
    JdbcOutbox third(OutboxBuilders outboxes, @Qualifier("second") DataSource second) {
      return outboxes.build("third", second, new JdbcTransactionManager(second));
    }

    @OutboxListener(value = "placed", outbox = "ledger")
    void on(EventEnvelope event) {}
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoCodecs {
    @Bean
    PayloadCodec one() {
      return new JacksonPayloadCodec(JsonMapper.shared());
    }

    @Bean
    PayloadCodec two() {
      return one();
    }
  }

  static class NamelessTopic {
    @OutboxListener("")
    void on(EventEnvelope event) {}
  }

  static class NamelessInboxTopic {
    @InboxListener("")
    void on(InboxMessage message) {}
  }

  @Configuration(proxyBeanMethods = false)
  static class NamelessBean {
    @Bean
    @OutboxListener("")
    EventListener namelessBean() {
      return event -> {};
    }
  }

  @EnableTransactionManagement(proxyTargetClass = true)
  static class ProxiesOfClasses {}

  @EnableTransactionManagement
  static class ProxiesOfInterfaces {}

  @Transactional
  static class PrivateListener {
    @OutboxListener("placed")
    @SuppressWarnings("UnusedMethod")
    private void on() {}
  }

  @Transactional
  static class HiddenListener implements Runnable {
    @Override
    public void run() {}

    @OutboxListener("placed")
    public void on(EventEnvelope event) {}
  }

  static class NoSuchOutbox {
    @OutboxListener(value = "placed", outbox = "billing")
    void on(EventEnvelope event) {}
  }

  @Configuration(proxyBeanMethods = false)
  static class WantsBean {
    @Bean
    JdbcTemplate jdbc(DataSource dataSource) {
      return new JdbcTemplate(dataSource);
    }

    @OutboxListener("placed")
    void on(JdbcTemplate jdbc) {}
  }

  static class WantsInterface {
    @OutboxListener("placed")
    void on(AutoCloseable payload) {}
  }

  static class WantsContainers {
    @OutboxListener("map")
    void on(Map<String, Object> payload) {}

    @OutboxListener("list")
    void on(List<String> payload) {}

    @OutboxListener("number")
    void on(Number payload) {}

    @OutboxListener("tree")
    void on(JsonNode payload) {}

    @OutboxListener("shape")
    void on(Shape payload) {}
  }

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
  @JsonSubTypes(@JsonSubTypes.Type(Square.class))
  interface Shape {}

  record Square(int side) implements Shape {}

  static class Unresolved<T> {
    @OutboxListener("placed")
    void on(T payload) {}
  }

  @OutboxListener("placed")
  static class NoListener {}

  static class Unbindable {
    @OutboxListener("placed")
    void on(EventEnvelope event, int count) {}
  }

  static class WrongSide {
    @OutboxListener("placed")
    void on(InboxMessage message) {}
  }

  static class TwoPayloads {
    @OutboxListener("placed")
    void on(OutboxMessage message, String text, List<String> list) {}
  }

  static class ReturnsText {
    @OutboxListener("placed")
    String on(String text) {
      return text;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoInboxListeners {
    @InboxListener("paid")
    void on(InboxMessage message) {}

    @Bean
    InboxHandler plain() {
      return InboxHandler.of("paid", (message, context) -> {});
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class NoTopic {
    @Bean
    EventListener plain() {
      return event -> {};
    }
  }
}
