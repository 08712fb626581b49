package outbox.admin.data;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxStatus;
import outbox.model.ListenerStates;

/**
 * A message of an inbox as a line of a list.
 *
 * @param id of its row, by which dead letters are replayed
 * @param topic null if it has no content yet
 * @param leased whether a handler works on it
 * @param contentVersion 1, and one more for each enqueue that changed topic or payload
 * @param availableAt from when on it may be taken; the end of the lease if it is leased; when it
 *     died if it is dead
 * @param errorSnippet the first {@link EventRow#SNIPPET} characters of its last error
 * @param listeners whether its handler failed, by its name
 */
public record InboxRow(
    String id,
    InboxKey key,
    InboxStatus status,
    @Nullable String topic,
    boolean leased,
    @Nullable String owner,
    int attempts,
    int contentVersion,
    Instant firstSeenAt,
    Instant lastSeenAt,
    Instant availableAt,
    @Nullable Instant dueAt,
    @Nullable Instant processedAt,
    @Nullable String errorSnippet,
    ListenerStates listeners,
    int replays) {

  /** When its lease ends unless it is renewed; null if it is not leased. */
  public @Nullable Instant leasedUntil() {
    return leased ? availableAt : null;
  }
}
