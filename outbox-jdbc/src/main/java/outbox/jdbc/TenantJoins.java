package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import outbox.HandlerContext;
import outbox.HandlerResult;
import outbox.OutboxMessage;
import outbox.PayloadCodec;
import outbox.TransactionalOutboxHandler;
import outbox.internal.handler.InternalHandler;
import outbox.spi.ConnectionProvider;
import outbox.spi.TxContext;

/**
 * The joins of many databases. One handler takes the wait messages of all of them: the transaction
 * that it is called in says whose they are. Thread-safe.
 */
final class TenantJoins implements TransactionalOutboxHandler, InternalHandler {
  private final Supplier<JdbcJoinStore> stores;
  private final String topic;
  private final Set<JdbcJoins> all = ConcurrentHashMap.newKeySet();

  /** Makes a store of joins for each database, all with the same wait topic. */
  TenantJoins(Supplier<JdbcJoinStore> stores) {
    this.stores = stores;
    this.topic = stores.get().waitTopic();
  }

  /** Returns a copy of the store that has tables of joins too. */
  JdbcOutboxRepository beside(JdbcOutboxRepository events) {
    return events.withJoins(stores.get().tableName(events.tableName()).waitTopic(topic));
  }

  /** Takes up the joins of a database, whose store came from {@link #beside}. */
  JdbcJoins add(
      JdbcOutboxRepository events,
      ConnectionProvider connections,
      TxContext txContext,
      PayloadCodec codec) {
    JdbcJoins joins =
        new JdbcJoins(requireNonNull(events.joins()), events, connections, txContext, codec);
    all.add(joins);
    return joins;
  }

  void remove(JdbcJoins joins) {
    all.remove(joins);
  }

  @Override
  public String topic() {
    return topic;
  }

  @Override
  public HandlerResult handle(
      OutboxMessage message, HandlerContext context, Connection connection) {
    for (JdbcJoins joins : all) {
      if (joins.isCurrent(connection)) {
        return joins.coordinator().waitHandler().handle(message, context, connection);
      }
    }
    throw new IllegalStateException(
        "message " + message.id() + " waits for a join of a database that has left");
  }
}
