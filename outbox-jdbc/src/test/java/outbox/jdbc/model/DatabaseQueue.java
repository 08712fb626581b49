package outbox.jdbc.model;

import java.time.Instant;
import java.util.Map;
import outbox.contracts.store.EventStoreContract.Row;
import outbox.jdbc.FrozenDatabase;
import outbox.jdbc.db.Product;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;

/** The queue in a database. */
final class DatabaseQueue extends OutboxQueue {
  private final FrozenDatabase database;

  DatabaseQueue(Product product) {
    this.database = FrozenDatabase.create(product);
  }

  @Override
  ConnectionProvider connections() {
    return database.connections();
  }

  @Override
  LeasedEventStore storeAt(Instant now, boolean deletesWhenDone) {
    return database.storeAt(now, deletesWhenDone);
  }

  @Override
  public Map<String, Row> rows() {
    return database.rows();
  }

  @Override
  void clear() {
    database.clear();
  }

  @Override
  public void close() {
    database.close();
  }
}
