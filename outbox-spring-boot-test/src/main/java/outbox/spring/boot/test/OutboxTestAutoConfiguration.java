package outbox.spring.boot.test;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import outbox.PayloadCodec;
import outbox.spring.boot.LazyInbox;
import outbox.spring.boot.OutboxAutoConfiguration;
import outbox.spring.boot.OutboxProperties;
import outbox.testing.OutboxDriver;
import outbox.testing.PublishedEvents;

/** What {@link AutoConfigureOutboxTest} adds to an application. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
public class OutboxTestAutoConfiguration {

  /** Made by Spring. */
  OutboxTestAutoConfiguration() {}

  @Bean
  TestedOutboxes testedOutboxes(ListableBeanFactory beans, LazyInbox inbox) {
    return new TestedOutboxes(beans, inbox);
  }

  @Bean(destroyMethod = "") // resumed, it would handle events while the application ends
  OutboxDriver outboxDriver(TestedOutboxes outboxes) {
    return OutboxDriver.ofAll(outboxes::dispatchers);
  }

  @Bean
  PublishedEvents publishedEvents(
      TestedOutboxes outboxes, OutboxProperties properties, ObjectProvider<PayloadCodec> codec) {
    PublishedEvents events =
        PublishedEvents.of(
            new TransactionAwareDataSourceProxy(outboxes.own().dataSource()), properties.table());
    PayloadCodec only = codec.getIfUnique();
    return only == null ? events : events.withCodec(only);
  }

  @Bean
  OutboxTables outboxTables(TestedOutboxes outboxes, OutboxProperties properties) {
    return new OutboxTables(outboxes, properties.table(), properties.inbox().table());
  }
}
