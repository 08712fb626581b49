package outbox.inbox;

import static java.util.Objects.requireNonNull;

/** A message of a broker that the inbox cannot take and that a consumer must not pass over. */
public final class PoisonMessageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String position;

  /**
   * @param position where the broker has the message
   * @param cause why the inbox cannot take it; its message does not quote the content
   */
  public PoisonMessageException(String position, Throwable cause) {
    super(
        "the inbox cannot take the message at "
            + position
            + ": "
            + cause.getMessage()
            + "; give the consumer a mapping that can read it, raise maxPayloadBytes of the inbox,"
            + " or remove the message from the broker",
        cause);
    this.position = requireNonNull(position, "position");
  }

  /** Where the broker has the message, such as topic, partition and offset. */
  public String position() {
    return position;
  }
}
