package outbox.jdbc.db;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import outbox.Batches;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.contracts.broker.ForwardingOutbox;
import outbox.jdbc.JdbcOutbox;
import outbox.model.DeadLetter;
import outbox.model.DeadLetterFilter;
import outbox.spi.Forwarder;

/** An outbox on a database of its own, for the tests of forwarders. */
public final class JdbcForwardingOutbox implements ForwardingOutbox {
  private final TestDatabase database;
  private final JdbcOutbox outbox;

  public JdbcForwardingOutbox(Product product, Duration lease, Forwarder forwarder) {
    this.database = TestDatabase.create(product);
    this.outbox =
        JdbcOutbox.builder(database.dataSource())
            .createSchema()
            .config(new OutboxConfig().setLeaseDuration(lease).setPollerIntervalMs(500))
            .batchListenerOfAll(Batches.of(200), forwarder)
            .start();
  }

  @Override
  public void publish(List<EventEnvelope> events) {
    try {
      outbox.inTransaction(connection -> outbox.publishAll(events));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public int pending() {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT COUNT(*) FROM outbox_event WHERE status NOT IN (1, 3)")) {
      rows.next();
      return rows.getInt(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public List<DeadLetter> dead() {
    return outbox.queue().deadLetters().list(DeadLetterFilter.all(), 100);
  }

  @Override
  public void close() {
    outbox.close();
    database.close();
  }
}
