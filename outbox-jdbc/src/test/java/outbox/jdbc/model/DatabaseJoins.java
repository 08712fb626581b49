package outbox.jdbc.model;

import java.time.Instant;
import java.util.Map;
import outbox.contracts.store.EventStoreContract.Row;
import outbox.jdbc.FrozenDatabase;
import outbox.jdbc.db.Product;
import outbox.spi.ConnectionProvider;
import outbox.spi.JoinStore;
import outbox.spi.LeasedEventStore;
import outbox.spi.TerminalHook;

/** Joins in a database. */
final class DatabaseJoins extends StoredJoins {
  private final FrozenDatabase database;

  DatabaseJoins(Product product) {
    this.database = FrozenDatabase.create(product);
  }

  @Override
  ConnectionProvider connections() {
    return database.connections();
  }

  @Override
  JoinStore joinStoreAt(Instant now) {
    return database.joinStoreAt(now);
  }

  @Override
  LeasedEventStore eventsAt(Instant now, TerminalHook hook) {
    return database.storeAt(now, hook);
  }

  @Override
  Map<String, Row> messages() {
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
