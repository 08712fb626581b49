package outbox.spring.boot;

import outbox.jdbc.JdbcOutbox;

/**
 * Changes what the properties cannot. Beans of this type get the builder of each outbox of the
 * application, after its properties were applied and in the order of {@code @Order}.
 */
@FunctionalInterface
public interface OutboxBuilderCustomizer {
  /** Changes the builder. */
  void customize(JdbcOutbox.Builder builder);
}
