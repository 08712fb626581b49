package outbox.spring.boot;

import outbox.jdbc.JdbcInbox;

/**
 * Changes what the properties cannot. Beans of this type get the builder of the application's
 * inbox, after its properties were applied and in the order of {@code @Order}.
 */
@FunctionalInterface
public interface InboxBuilderCustomizer {
  /** Changes the builder. */
  void customize(JdbcInbox.Builder builder);
}
