package outbox.benchmarks;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcOutboxRepository;

/** This library; all but what becomes of done rows is its default. */
final class Library implements Contestant {
  private final CompletionCounter counter = new CompletionCounter();
  private final JdbcOutbox outbox;

  Library(DataSource dataSource, Consumer<EventEnvelope> listener, Completion completion) {
    this(
        dataSource,
        builder ->
            builder
                .store(
                    JdbcOutboxRepository.builder()
                        .deleteWhenDone(completion == Completion.DELETED)
                        .build())
                .listener(Payload.TYPE, listener::accept));
  }

  Library(DataSource dataSource, UnaryOperator<JdbcOutbox.Builder> options) {
    this.outbox = options.apply(JdbcOutbox.builder(dataSource).metrics(counter)).start();
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

  /** One transaction with all of them; a single one is published as such. */
  void commitAll(List<EventEnvelope> events) throws Exception {
    outbox.inTransaction(
        connection -> {
          if (events.size() == 1) {
            outbox.publish(events.get(0));
          } else {
            outbox.publishAll(events);
          }
        });
  }

  @Override
  public long completed() {
    return counter.completed();
  }

  @Override
  public void close() {
    outbox.close();
  }
}
