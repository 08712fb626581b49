package outbox.admin.data;

import java.sql.SQLException;
import outbox.spi.StoreException;

/** A statement was stopped at its time limit, so that it would not burden the database. */
public final class TooSlowException extends StoreException {
  private static final long serialVersionUID = 1L;

  public TooSlowException(String message, SQLException cause) {
    super(message, cause);
  }
}
