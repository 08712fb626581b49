package outbox.jdbc.model;

import java.time.Instant;
import java.util.Map;
import outbox.contracts.store.EventStoreContract.Row;
import outbox.inbox.InboxStore;
import outbox.jdbc.FrozenDatabase;
import outbox.jdbc.db.Product;
import outbox.spi.ConnectionProvider;

/** The inbox in a database. */
final class DatabaseInboxes extends StoredInboxes {
  private final FrozenDatabase database;

  DatabaseInboxes(Product product) {
    this.database = FrozenDatabase.create(product);
  }

  @Override
  ConnectionProvider connections() {
    return database.connections();
  }

  @Override
  InboxStore storeAt(Instant now) {
    return database.inboxStoreAt(now);
  }

  @Override
  Map<String, Row> events() {
    return database.inboxRows();
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
