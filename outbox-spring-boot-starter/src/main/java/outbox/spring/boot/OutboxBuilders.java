package outbox.spring.boot;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.springframework.transaction.PlatformTransactionManager;
import outbox.jdbc.JdbcOutbox;

/**
 * Builds further outboxes, for applications with several data sources. They have the settings,
 * metrics, health and traces of the application's own; as a bean such an outbox gets its listeners,
 * is started and is drained with it. Thread-safe.
 */
public final class OutboxBuilders {
  private final OutboxFactory factory;
  private final Set<String> queues = ConcurrentHashMap.newKeySet();

  OutboxBuilders(OutboxFactory factory) {
    this.factory = factory;
    queues.add(QueueMetrics.OUTBOX);
    queues.add(QueueMetrics.INBOX);
  }

  /**
   * Builds an outbox in another database.
   *
   * @param queue tells it from others in metrics and health
   * @param transactionManager that of the data source
   */
  public JdbcOutbox build(
      String queue, DataSource dataSource, PlatformTransactionManager transactionManager) {
    return build(queue, dataSource, transactionManager, builder -> builder);
  }

  /**
   * The same with settings or handlers of its own.
   *
   * @param change what is different from the application's own outbox
   */
  public JdbcOutbox build(
      String queue,
      DataSource dataSource,
      PlatformTransactionManager transactionManager,
      UnaryOperator<JdbcOutbox.Builder> change) {
    if (!queues.add(queue)) {
      throw new OutboxSetupException(
          "The queue " + queue + " is there already; metrics and health would mix the two up.",
          "Give each outbox a queue name of its own in OutboxBuilders.build(…).");
    }
    try {
      OutboxDatabase database = OutboxDatabase.of(dataSource, transactionManager);
      return OutboxFactory.explained(
          "The outbox " + queue, () -> change.apply(factory.builder(database, queue)).build());
    } catch (RuntimeException e) {
      queues.remove(queue);
      throw e;
    }
  }
}
