package outbox.jdbc;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.spi.StoreException;
import outbox.spi.TransactionRunner;

/** Takes the result, or the exception, of a body out of the transaction it runs in. For one use. */
final class TransactionResult<T extends @Nullable Object, E extends Exception> {
  private final JdbcOutbox.BodyWithResult<T, E> body;
  private @Nullable Object result;
  private @Nullable Throwable thrown;

  TransactionResult(JdbcOutbox.BodyWithResult<T, E> body) {
    this.body = body;
  }

  @SuppressWarnings({"unchecked", "NullAway"})
  T of(TransactionRunner transactions) throws E {
    try {
      transactions.run(
          connection -> {
            try {
              result = body.call(connection);
            } catch (Throwable e) {
              thrown = e;
              throw e;
            }
          });
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      if (e == thrown) {
        throw (E) e;
      }
      throw e instanceof SQLException failure
          ? new StoreException("the transaction failed", failure)
          : new IllegalStateException("the transaction failed", e);
    }
    return (T) result;
  }
}
