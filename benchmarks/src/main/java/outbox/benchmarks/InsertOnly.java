package outbox.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import outbox.EventEnvelope;

/** The floor: the rows are inserted and never read. */
final class InsertOnly implements Contestant {
  private static final String OWNER = UUID.randomUUID().toString();

  private final PlainSql sql;
  private final DataSource dataSource;
  private final LongAdder inserted = new LongAdder();

  InsertOnly(PlainSql sql, DataSource dataSource) {
    this.sql = sql;
    this.dataSource = dataSource;
  }

  @Override
  public void commit(EventEnvelope event, boolean withBusinessRow) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      if (withBusinessRow) {
        PlainSql.insertOrder(connection, event);
      }
      sql.insertLeased(connection, event, OWNER);
      connection.commit();
      connection.setAutoCommit(true);
    }
    inserted.increment();
  }

  @Override
  public long completed() {
    return inserted.sum();
  }

  @Override
  public void close() {}
}
