package outbox.inbox;

/**
 * What {@link Inbox#receive} found.
 *
 * @param contentDiffers the same key was stored with another content before; that one stays
 */
public record ReceiveResult(Kind kind, boolean contentDiffers) {

  /** What the message is to the inbox. */
  public enum Kind {
    /** It was not known, and is stored now. */
    NEW,
    /** It is known and not processed yet. */
    DUPLICATE,
    /** It has been processed. */
    DONE,
    /** It was given up; see {@link Inbox#revive(InboxKey)}. */
    DEAD
  }

  public boolean isNew() {
    return kind == Kind.NEW;
  }
}
