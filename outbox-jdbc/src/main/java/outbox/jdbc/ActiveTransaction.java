package outbox.jdbc;

import java.sql.Connection;

/** What a thread holds between begin and completion: the guarded connection and its callbacks. */
final class ActiveTransaction {
  private final TransactionCallbacks callbacks = new TransactionCallbacks();
  private final Connection connection;

  ActiveTransaction(Connection target) {
    this.connection = GuardedConnection.around(target, callbacks);
  }

  Connection connection() {
    return connection;
  }

  TransactionCallbacks callbacks() {
    return callbacks;
  }
}
