package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.spring.boot.FailedStarts.OUTBOX_ALONE;
import static outbox.spring.boot.FailedStarts.failureOf;

import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.schema.OutboxSchema;

/** A DataSource, a transaction manager or a second outbox that cannot work fails the start. */
class RefusedDataSourceTest {
  @Test
  void withoutDataSource() {
    FailureAnalysis failure = failureOf(OUTBOX_ALONE);

    assertThat(failure.getDescription()).contains("needs a DataSource", "has none");
    assertThat(failure.getAction()).contains("spring.datasource.url", "outbox.enabled=false");
  }

  @Test
  void withTwoDataSourcesAndNoChoice() {
    FailureAnalysis failure = failureOf(OUTBOX_ALONE.withUserConfiguration(TwoDataSources.class));

    assertThat(failure.getDescription()).contains("several: first, second");
    assertThat(failure.getAction()).contains("outbox.datasource", "@Primary");
  }

  @Test
  void withDataSourceThatDoesNotExist() {
    FailureAnalysis failure =
        failureOf(
            OUTBOX_ALONE
                .withUserConfiguration(TwoDataSources.class)
                .withPropertyValues("outbox.datasource=third"));

    assertThat(failure.getDescription()).contains("outbox.datasource (third) names no bean");
    assertThat(failure.getAction()).contains("first, second");
  }

  @Test
  void withTwoDataSourcesAndAChoiceItStarts() {
    OUTBOX_ALONE
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
            OUTBOX_ALONE
                .withUserConfiguration(TwoDataSources.class, ManagerOfFirst.class)
                .withPropertyValues(
                    "outbox.datasource=second", "outbox.transaction-manager=manager"));

    assertThat(failure.getDescription())
        .contains("outbox.transaction-manager (manager) is not that of the outbox's DataSource");
    assertThat(failure.getAction()).contains("transaction manager of that DataSource");
  }

  @Test
  void withProxyOfTheDataSourceOfItsTransactionManagerItStarts() {
    OUTBOX_ALONE
        .withUserConfiguration(TwoDataSources.class, ManagerOfFirst.class, ProxyOfFirst.class)
        .withPropertyValues("outbox.datasource=proxy")
        .run(
            context ->
                assertThat(context.getBean(OutboxFactory.class).database())
                    .extracting(OutboxDatabase::dataSource, OutboxDatabase::transactionManager)
                    .containsExactly(context.getBean("first"), context.getBean("manager")));
  }

  @Test
  void withSecondOutboxInTransactionsOfAnotherDataSource() {
    FailureAnalysis failure =
        failureOf(
            OUTBOX_ALONE
                .withUserConfiguration(
                    TwoDataSources.class, ManagerOfFirst.class, OutboxOfSecond.class)
                .withPropertyValues("outbox.datasource=first"));

    assertThat(failure.getDescription()).contains("is not that of the outbox's DataSource");
  }

  @Test
  void withSecondOutboxWithoutTables() {
    FailureAnalysis failure =
        failureOf(
            OUTBOX_ALONE
                .withUserConfiguration(TwoDatabases.class, WithoutTables.class)
                .withPropertyValues("outbox.schema.initialize=never"));

    assertThat(failure.getDescription()).contains("The outbox another cannot start", "is missing");
    assertThat(failure.getAction()).contains("outbox.schema.initialize=always");
  }

  @Test
  void withSecondOutboxWhoseSettingsContradictEachOther() {
    FailureAnalysis failure =
        failureOf(OUTBOX_ALONE.withUserConfiguration(TwoDatabases.class, WrongSettings.class));

    assertThat(failure.getDescription())
        .contains("The outbox another cannot start", "leaseDuration (PT0.05S)");
    assertThat(failure.getAction()).contains("what its builder is given");
  }

  @ParameterizedTest
  @ValueSource(classes = {SameQueueTwice.class, QueueOfTheFirst.class})
  void withTwoOutboxesOfOneQueueName(Class<?> application) {
    FailureAnalysis failure =
        failureOf(OUTBOX_ALONE.withUserConfiguration(TwoDatabases.class, application));

    assertThat(failure.getDescription()).contains("The queue", "is there already");
    assertThat(failure.getAction()).contains("a queue name of its own");
  }

  @Test
  void withTwoOutboxesOfOneQualifier() {
    assertThat(
            failureOf(OUTBOX_ALONE.withUserConfiguration(TwoDatabases.class, SameQualifier.class))
                .getDescription())
        .contains("SameQualifier.on", "outbox ledger, which are several beans");
  }

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
}
