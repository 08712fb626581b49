package outbox.model;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an inbox knows of a message beyond the fields of an event. It travels with the event from
 * the inbox's store to the handler. Immutable; the hash is not copied.
 *
 * @param source who sent the message
 * @param messageId the sender's own id of the message
 * @param hash the content hash that came with the message; null for none
 * @param contentVersion 1, and one more for each enqueue that changed topic or payload
 * @param seenAgain when the message was last delivered, if it was more than once; else null
 */
@SuppressWarnings("ArrayRecordComponent")
public record InboxEntry(
    String source,
    String messageId,
    byte @Nullable [] hash,
    int contentVersion,
    @Nullable Instant seenAgain) {

  public InboxEntry(
      String source,
      String messageId,
      byte @Nullable [] hash,
      int contentVersion,
      @Nullable Instant seenAgain) {
    this.source = requireNonNull(source, "source");
    this.messageId = requireNonNull(messageId, "messageId");
    this.hash = hash;
    this.contentVersion = contentVersion;
    this.seenAgain = seenAgain;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof InboxEntry entry
        && source.equals(entry.source)
        && messageId.equals(entry.messageId)
        && Arrays.equals(hash, entry.hash)
        && contentVersion == entry.contentVersion
        && Objects.equals(seenAgain, entry.seenAgain);
  }

  @Override
  public int hashCode() {
    return Objects.hash(source, messageId, contentVersion);
  }

  @Override
  public String toString() {
    return "InboxEntry[" + source + "/" + messageId + " version=" + contentVersion + "]";
  }
}
