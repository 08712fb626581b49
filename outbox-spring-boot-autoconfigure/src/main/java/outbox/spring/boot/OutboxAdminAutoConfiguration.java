package outbox.spring.boot;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import outbox.admin.AdminConfig;
import outbox.admin.AdminServlet;
import outbox.admin.Redaction;
import outbox.admin.data.OperatedDatabase;
import outbox.jdbc.JdbcOutbox;

/**
 * The dashboard and its API beside the application's own pages, if the application has the module
 * {@code outbox-admin}.
 */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass(AdminServlet.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBooleanProperty(name = "outbox.admin.enabled")
@ConditionalOnBean(OutboxFactory.class)
@EnableConfigurationProperties(OutboxAdminProperties.class)
@ImportRuntimeHints(OutboxAdminRuntimeHints.class)
public class OutboxAdminAutoConfiguration {
  private static final String NAME = "outboxAdmin";

  /** Made by Spring. */
  OutboxAdminAutoConfiguration() {}

  @Bean
  DeliveryRates outboxDeliveryRates(OutboxAdminProperties admin) {
    return admin.deliveryRates();
  }

  @Bean
  @ConditionalOnMissingBean
  AdminConfig outboxAdminConfig(
      OutboxFactory factory,
      OutboxAdminProperties admin,
      JdbcOutbox running,
      LazyInbox inbox,
      DeliveryRates rates,
      ObjectProvider<Redaction> redaction) {
    OutboxProperties outbox = factory.properties();
    OperatedDatabase.Builder database =
        admin
            .measured(OperatedDatabase.builder("main", factory.database().dataSource()))
            .outboxTable(outbox.table())
            .inboxTable(outbox.inbox().table())
            .joinTable(outbox.joins().table())
            .waitTopic(outbox.joins().waitTopic())
            .timeLimit(admin.timeLimit())
            .onReplay(running.dispatcher()::wakePollers)
            .onInboxReplay(inbox::wake);
    if (admin.ratesOfProcess(outbox.deleteWhenDone())) {
      database.activity(rates);
    }
    AdminConfig.Builder config = admin.config(database.build());
    redaction.ifAvailable(config::redaction);
    try {
      return config.build();
    } catch (IllegalStateException e) {
      throw new OutboxSetupException(
          "outbox.admin.enabled is set, but " + e.getMessage() + ".",
          "Set outbox.admin.read-tokens.NAME, outbox.admin.admin-tokens.NAME,"
              + " outbox.admin.read-role or outbox.admin.anonymous-read.",
          e);
    }
  }

  @Bean
  ServletRegistrationBean<AdminServlet> outboxAdminServlet(AdminConfig config) {
    ServletRegistrationBean<AdminServlet> servlet =
        new ServletRegistrationBean<>(new AdminServlet(config));
    servlet.setName(NAME);
    servlet.setLoadOnStartup(1);
    servlet.addUrlMappings(config.mappings().toArray(new String[0]));
    return servlet;
  }
}
