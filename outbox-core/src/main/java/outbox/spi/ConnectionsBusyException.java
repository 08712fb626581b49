package outbox.spi;

import java.sql.SQLTransientConnectionException;

/**
 * All connections that this process may use at once are in use. Says nothing about the database: a
 * dispatcher that meets it waits and tries again, and reports no outage.
 */
public class ConnectionsBusyException extends SQLTransientConnectionException {
  private static final long serialVersionUID = 1L;

  public ConnectionsBusyException(String message) {
    super(message, "08001");
  }

  public ConnectionsBusyException(String message, Throwable cause) {
    super(message, "08001", cause);
  }
}
