package outbox.admin.data;

import java.util.Optional;
import outbox.DeadLetters;
import outbox.inbox.InboxKey;

/** The messages of one inbox, to look at and to act on. Thread-safe. */
public interface OperatedInbox {

  /**
   * A page of messages.
   *
   * @throws InvalidQueryException if the cursor is none of this list's
   */
  Page<InboxRow> list(InboxQuery query);

  /** One message, with its payload only if that is asked for; empty if there is none. */
  Optional<InboxDetail> find(InboxKey key, boolean payload);

  /**
   * Replays a dead message.
   *
   * @param by who, for the trace that is kept
   * @return whether it was dead
   */
  boolean replay(InboxKey key, String by);

  /**
   * Discards a dead message.
   *
   * @return whether it was dead
   */
  boolean discard(InboxKey key, String by, String reason);

  /** To count, replay and discard what is dead: by {@link InboxRow#id}, or by a filter. */
  DeadLetters deadLetters();
}
