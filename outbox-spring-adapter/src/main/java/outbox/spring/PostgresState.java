package outbox.spring;

import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.springframework.util.ClassUtils;

/** All that knows the classes of PostgreSQL's own driver, which need not be there. */
final class PostgresState {
  private static final boolean DRIVER_PRESENT =
      ClassUtils.isPresent(
          "org.postgresql.core.BaseConnection", PostgresState.class.getClassLoader());

  private PostgresState() {}

  /** Whether a commit would roll back. The driver knows without asking the server. */
  static boolean isAborted(Connection connection) {
    return DRIVER_PRESENT && Driver.isAborted(connection);
  }

  /** Loaded only if the driver is there. */
  private static final class Driver {
    private static boolean isAborted(Connection connection) {
      try {
        return connection.isWrapperFor(BaseConnection.class)
            && connection.unwrap(BaseConnection.class).getTransactionState()
                == TransactionState.FAILED;
      } catch (SQLException e) {
        return true;
      }
    }
  }
}
