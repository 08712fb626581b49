package outbox.spring.boot;

import org.springframework.beans.factory.ObjectProvider;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcOutbox;

/** What beans of the application add to the builders of outboxes and inbox. */
record BuilderHooks(
    DeadLetterNotices deadLetters,
    ObjectProvider<OutboxBuilderCustomizer> ofOutbox,
    ObjectProvider<InboxBuilderCustomizer> ofInbox) {

  void applyTo(JdbcOutbox.Builder builder, String queue) {
    builder.onDead(deadLetters.of(queue));
    ofOutbox.orderedStream().forEach(each -> each.customize(builder));
  }

  void applyTo(JdbcInbox.Builder builder) {
    builder.onDead(deadLetters.of(QueueMetrics.INBOX));
    ofInbox.orderedStream().forEach(each -> each.customize(builder));
  }
}
