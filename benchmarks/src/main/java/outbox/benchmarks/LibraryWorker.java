package outbox.benchmarks;

import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxMessage;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.model.MessageId;
import outbox.model.OwnerToken;

/** The public API with its defaults; a pooled connection for each call. */
final class LibraryWorker implements QueueWorker {
  private static final Duration LEASE = Duration.ofSeconds(30);

  private final OwnerToken owner = OwnerToken.random();
  private final Outbox outbox;
  private final int batchSize;

  LibraryWorker(DataSource dataSource, int batchSize) {
    this.outbox =
        OutboxBuilder.of(new DataSourceConnectionProvider(dataSource), new JdbcOutboxRepository())
            .build();
    this.batchSize = batchSize;
  }

  @Override
  public int workOffABatch() {
    List<MessageId> ids =
        outbox.claim(owner, LEASE, batchSize).stream().map(OutboxMessage::id).toList();
    return outbox.ack(owner, ids).size();
  }
}
