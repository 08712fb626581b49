package outbox.benchmarks;

import java.sql.SQLException;

/** Someone who claims messages and acknowledges them. Used by one thread. */
interface QueueWorker extends AutoCloseable {
  /** One claim and one acknowledgement; returns how many messages were acknowledged. */
  int workOffABatch() throws SQLException;

  @Override
  default void close() throws SQLException {}
}
