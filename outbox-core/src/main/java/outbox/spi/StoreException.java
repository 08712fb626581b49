package outbox.spi;

import java.sql.SQLException;

/** A statement of the store failed. The cause is what the driver said. */
public class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StoreException(String message, SQLException cause) {
    super(message, cause);
  }
}
