package outbox.benchmarks;

import java.util.function.Consumer;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcOutbox;

/** This library with every default. */
final class Library implements Contestant {
  private final CompletionCounter counter = new CompletionCounter();
  private final JdbcOutbox outbox;

  Library(DataSource dataSource, Consumer<EventEnvelope> listener) {
    this.outbox =
        JdbcOutbox.builder(dataSource)
            .metrics(counter)
            .listener(Payload.TYPE, listener::accept)
            .start();
  }

  @Override
  public void commit(EventEnvelope event, boolean withBusinessRow) throws Exception {
    outbox.inTransaction(
        connection -> {
          if (withBusinessRow) {
            PlainSql.insertOrder(connection, event);
          }
          outbox.publish(event);
        });
  }

  @Override
  public long completed() {
    return counter.completed();
  }

  /** Of those published here, how many were left to the poller. */
  long dropped() {
    return counter.dropped();
  }

  @Override
  public void close() {
    outbox.close();
  }
}
