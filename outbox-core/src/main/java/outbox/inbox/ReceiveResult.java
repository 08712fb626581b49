package outbox.inbox;

/**
 * What {@link Inbox#receive} found.
 *
 * @param contentDiffers the same key was brought with another content before: with another hash, or
 *     with another payload where not both have a hash. What was stored stays
 */
public record ReceiveResult(Kind kind, boolean contentDiffers) {

  /** What the message is to the inbox. */
  public enum Kind {
    /** It was not known, or by its key only, and is stored now. */
    NEW,
    /** It is known and not processed yet. */
    DUPLICATE,
    /** It has been processed. */
    DONE,
    /** It was given up; see {@link Inbox#replay(InboxKey, String)}. */
    DEAD
  }

  /** Returns whether the message was stored as a new one. */
  public boolean isNew() {
    return kind == Kind.NEW;
  }
}
