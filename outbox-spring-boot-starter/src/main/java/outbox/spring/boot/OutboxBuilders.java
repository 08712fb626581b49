package outbox.spring.boot;

import javax.sql.DataSource;
import org.springframework.transaction.PlatformTransactionManager;
import outbox.jdbc.JdbcOutbox;

/**
 * Builders of further outboxes, for applications with several data sources. What they build has the
 * settings, metrics, health and traces of the application's own; as a bean it gets its listeners,
 * is started and is drained with it. Thread-safe.
 */
public final class OutboxBuilders {
  private final OutboxFactory factory;

  OutboxBuilders(OutboxFactory factory) {
    this.factory = factory;
  }

  /**
   * A builder of an outbox in another database.
   *
   * @param queue tells it from others in metrics and health
   * @param transactionManager that of the data source
   */
  public JdbcOutbox.Builder outbox(
      String queue, DataSource dataSource, PlatformTransactionManager transactionManager) {
    return factory.builder(OutboxDatabase.of(dataSource, transactionManager), queue);
  }
}
