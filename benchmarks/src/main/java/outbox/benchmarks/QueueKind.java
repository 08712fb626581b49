package outbox.benchmarks;

import java.sql.SQLException;
import javax.sql.DataSource;

/** Who works the queue off. */
enum QueueKind {
  HAND_WRITTEN("hand-written statements") {
    @Override
    QueueWorker hire(PlainSql sql, DataSource dataSource, int batchSize) throws SQLException {
      return new HandWrittenWorker(sql, dataSource, batchSize);
    }
  },
  LIBRARY("this library") {
    @Override
    QueueWorker hire(PlainSql sql, DataSource dataSource, int batchSize) {
      return new LibraryWorker(dataSource, batchSize);
    }
  };

  private final String label;

  QueueKind(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }

  abstract QueueWorker hire(PlainSql sql, DataSource dataSource, int batchSize) throws SQLException;
}
