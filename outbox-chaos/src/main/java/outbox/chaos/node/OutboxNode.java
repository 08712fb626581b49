package outbox.chaos.node;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.IntFunction;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import outbox.OutboxConfig;
import outbox.chaos.ledger.Topic;
import outbox.chaos.node.NodeSettings.Role;
import outbox.dispatch.Retries;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcOutbox;
import outbox.spi.TransactionRunner;
import outbox.spring.SpringTransactionRunner;
import outbox.spring.SpringTxContext;

/** Outbox, inbox, joins and the queue by hand on one database. */
final class OutboxNode implements AutoCloseable {
  private static final int WORKERS = 5;
  private static final int INBOX_WORKERS = 3;
  private static final int EDGES = 4;
  private static final String DUPLICATE =
      "INSERT INTO business (id, topic, detail) VALUES (?, '', '')";
  private static final Retries RETRIES =
      Retries.exponential(Duration.ofMillis(50), Duration.ofSeconds(1)).maxAttempts(100);

  private final NodePool pool;
  private final JdbcOutbox outbox;
  private final JdbcInbox inbox;
  private final Publishing publishing;

  OutboxNode(NodeSettings settings, IntFunction<OutboxConfig> config, NodePool pool, Calls calls) {
    this.pool = pool;
    JdbcOutbox.Builder builder =
        JdbcOutbox.builder(pool)
            .node(settings.name())
            .config(config.apply(WORKERS))
            .retries(RETRIES)
            .joins();
    new Listeners(calls, settings.name()).register(builder);
    JdbcInbox.Builder messages =
        JdbcInbox.builder(pool)
            .node(settings.name())
            .config(config.apply(INBOX_WORKERS))
            .retries(RETRIES);
    InboxWork inboxWork = new InboxWork(calls, settings.name());
    if (settings.role() == Role.SPRING) {
      DataSourceTransactionManager manager = new DataSourceTransactionManager(pool);
      TransactionRunner runner = new SpringTransactionRunner(manager, pool);
      builder.transactions(new SpringTxContext(pool).watch(manager), runner);
      messages.transactions(runner);
    }
    if (settings.role() == Role.NOTIFIED) {
      builder.notifyNodes();
    }
    this.outbox = builder.start();
    if (settings.role() != Role.SPRING) {
      messages.publishingTo(outbox);
    }
    inboxWork.register(messages, outbox);
    this.inbox = messages.start();
    this.publishing =
        new Publishing(
            outbox,
            calls.ledger(),
            settings.toTimeOfDay(),
            settings.role() == Role.SPRING ? this::failInSpring : OutboxNode::fail);
  }

  /** Adds the threads of this node's load. */
  void load(Load load, NodeSettings settings, Calls calls) {
    double rate = settings.rate();
    QueueWork queue = new QueueWork(pool, calls);
    InboxWork receiver = new InboxWork(calls, settings.name());
    load.add("publisher-1", rate / 2, publishing::step);
    load.add("publisher-2", rate / 2, publishing::step);
    load.add("joins", Math.max(1, rate / 40), publishing::join);
    load.add("inbox", Math.max(1, rate / 8), random -> receiver.receive(inbox, random));
    load.add("enqueue", Math.max(1, rate / 10), queue::enqueue);
    for (int i = 1; i <= EDGES; i++) {
      load.add("edge-" + i, 1, publishing::atTheEndOfTheLease);
    }
    load.add("deadlock", 1, publishing::deadlock);
    load.addWorker("queue-1", queue::work);
    load.addWorker("queue-2", queue::work);
  }

  void publish(Topic topic) throws Exception {
    publishing.publish(topic);
  }

  private static void fail(Connection connection, String id) {
    try (PreparedStatement insert = connection.prepareStatement(DUPLICATE)) {
      insert.setString(1, id);
      insert.executeUpdate();
    } catch (SQLException e) {
      // Swallowed on purpose: that is what applications do.
    }
  }

  /** By the template, which translates the failure of the thread's transaction. */
  private void failInSpring(Connection connection, String id) {
    try {
      new JdbcTemplate(pool).update(DUPLICATE, id);
    } catch (DataAccessException e) {
      // Swallowed on purpose.
    }
  }

  @Override
  public void close() {
    inbox.close();
    outbox.close();
  }
}
