package outbox.jdbc.internal.tx;

import java.sql.Connection;
import outbox.spi.TransactionWatch;

/** What a thread holds between begin and completion: the guarded connection and its callbacks. */
public final class ActiveTransaction {
  private final TransactionCallbacks callbacks = new TransactionCallbacks();
  private final TransactionWatch watch;

  public ActiveTransaction(Connection target) {
    this.watch =
        TransactionWatch.guarding(
            target,
            "return from inTransaction(…) to commit, throw to roll back; a Transaction begun by"
                + " hand has commit() and rollback()");
    watch.addListener(callbacks);
  }

  public Connection connection() {
    return watch.connection();
  }

  public boolean isInDoubt() {
    return watch.isInDoubt();
  }

  public TransactionCallbacks callbacks() {
    return callbacks;
  }
}
