package outbox.site;

/** The site cannot be made; the message says why, for the person who runs the command. */
final class SiteException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SiteException(String message) {
    super(message);
  }
}
