package outbox.spring.boot;

import java.util.Map;
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
  private final Map<JdbcOutbox, OutboxDatabase> databases = new ConcurrentHashMap<>();

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
   * Builds an outbox in another database with settings or handlers of its own.
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
      JdbcOutbox outbox =
          OutboxFactory.explained(
              "The outbox " + queue,
              () -> change.apply(factory.builder(database, queue)).buildWithoutStart());
      databases.put(outbox, database);
      return outbox;
    } catch (RuntimeException e) {
      queues.remove(queue);
      throw e;
    }
  }

  /** Where an outbox of the application works. */
  OutboxDatabase databaseOf(JdbcOutbox outbox) {
    return databases.getOrDefault(outbox, factory.database());
  }
}
