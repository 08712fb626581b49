package outbox.admin.data;

/** A query asks for something that there is not; its message names the field, value and rule. */
public final class InvalidQueryException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final String field;

  public InvalidQueryException(String field, String message) {
    super(message);
    this.field = field;
  }

  /** Which part of the query is wrong. */
  public String field() {
    return field;
  }
}
