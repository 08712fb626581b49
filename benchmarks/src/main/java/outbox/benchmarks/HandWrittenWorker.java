package outbox.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import outbox.internal.text.Ulid;

/**
 * Two statements on a connection of its own, which it keeps. Nothing is retried, expired messages
 * are handled, and one that kills its worker kills the next.
 */
final class HandWrittenWorker implements QueueWorker {
  private final String owner = Ulid.next();
  private final PlainSql sql;
  private final Connection connection;
  private final int batchSize;

  HandWrittenWorker(PlainSql sql, DataSource dataSource, int batchSize) throws SQLException {
    this.sql = sql;
    this.connection = dataSource.getConnection();
    this.batchSize = batchSize;
    sql.setUp(connection);
  }

  @Override
  public int workOffABatch() throws SQLException {
    List<String> ids =
        sql.claim(connection, owner, batchSize).stream().map(PlainSql.Message::id).toList();
    return ids.isEmpty() ? 0 : sql.complete(connection, ids, owner, Completion.KEPT);
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
