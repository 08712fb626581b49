package outbox.inbox;

import java.util.Comparator;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.StorableText;

/**
 * What a message from outside is recognised by: who sent it, and the sender's own id. Both are
 * case-sensitive and at most 255 characters long; equal ids of two sources do not meet.
 */
public record InboxKey(String source, String messageId) {
  /** The order in which keys are locked. */
  static final Comparator<InboxKey> BY_SOURCE =
      Comparator.comparing(InboxKey::source).thenComparing(InboxKey::messageId);

  private static final int MAX_LENGTH = 255;

  public InboxKey {
    source = required("source", source);
    messageId = required("messageId", messageId);
  }

  static String required(String field, @Nullable String value) {
    if (value == null || value.isEmpty()) {
      throw new IllegalArgumentException(field + " must not be null or empty");
    }
    return StorableText.atMost(field, value, MAX_LENGTH);
  }

  /** A topic, of a message or of its handler. */
  static String topic(String field, @Nullable String value) {
    String topic = required(field, value);
    if (topic.isBlank()) {
      throw new IllegalArgumentException(field + " must not be blank");
    }
    return topic;
  }

  /** The topic of a handler, which handles no other. */
  static String handled(String field, @Nullable String value) {
    String topic = topic(field, value);
    if (topic.equals("*")) {
      throw new IllegalArgumentException(
          field + " (*) must name one topic; an inbox has no handler of every message");
    }
    return topic;
  }

  @Override
  public String toString() {
    return source + "/" + messageId;
  }
}
