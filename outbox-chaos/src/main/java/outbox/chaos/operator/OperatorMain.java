package outbox.chaos.operator;

import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import outbox.Bulk;
import outbox.OutboxBuilder;
import outbox.chaos.ledger.Topic;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.schema.OutboxSchema;
import outbox.model.DeadLetterFilter;

/**
 * A process that does one thing slowly, so that it can be killed in the middle: says {@value
 * #BEGUN} before, and ends with 0 after.
 */
final class OperatorMain {
  static final String BEGUN = "operator has begun";

  private static final Duration AGE = Duration.ofSeconds(10);
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final int BATCH = 50;

  private OperatorMain() {}

  public static void main(String[] arguments) throws Exception {
    UrlDataSource dataSource = new UrlDataSource(arguments[1]);
    System.out.println(BEGUN);
    switch (Errand.valueOf(arguments[0])) {
      case PURGE -> purge(dataSource);
      case REPLAY -> replay(dataSource);
      case MIGRATE -> migrate(dataSource);
    }
  }

  private static void purge(UrlDataSource dataSource) throws Exception {
    JdbcOutboxRepository store = new JdbcOutboxRepository();
    try (Connection connection = dataSource.getConnection()) {
      while (store.purgeDone(connection, AGE, BATCH) > 0) {
        TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
      }
    }
  }

  private static void replay(UrlDataSource dataSource) {
    OutboxBuilder.of(dataSource::getConnection, new JdbcOutboxRepository())
        .build()
        .deadLetters()
        .replay(
            DeadLetterFilter.all().topic(Topic.LETTER.label()),
            Bulk.by("operator").batchSize(5).perSecond(BATCH));
  }

  private static void migrate(UrlDataSource dataSource) {
    OutboxSchema schema = OutboxSchema.of(dataSource).tableName(OldTable.NAME);
    schema.backfillRate(OldTable.ROWS).migrate(progress -> {});
    schema.finalizeUpgrade();
  }
}
