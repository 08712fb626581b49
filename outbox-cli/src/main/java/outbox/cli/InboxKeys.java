package outbox.cli;

import org.jspecify.annotations.Nullable;
import outbox.inbox.InboxKey;

/** What messages of an inbox are named by. */
final class InboxKeys {
  private InboxKeys() {}

  static InboxKey of(@Nullable String source, String messageId) {
    if (source == null) {
      throw new WrongCallException(
          "--source is missing: a message of an inbox is known by its sender and its id");
    }
    return new InboxKey(source, messageId);
  }
}
