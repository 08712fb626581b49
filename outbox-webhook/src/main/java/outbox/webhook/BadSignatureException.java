package outbox.webhook;

/** A request does not come from who it says, or is too old. */
public final class BadSignatureException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * @param reason for the log; must not quote a secret or the body
   */
  public BadSignatureException(String reason) {
    super(reason, null, false, false);
  }
}
