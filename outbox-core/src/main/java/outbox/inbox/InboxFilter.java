package outbox.inbox;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * Which messages are meant.
 *
 * @param source null for every source
 * @param topic null for every topic
 */
public record InboxFilter(@Nullable String source, @Nullable String topic) {

  public static InboxFilter all() {
    return new InboxFilter(null, null);
  }

  public InboxFilter ofSource(String source) {
    return new InboxFilter(requireNonNull(source, "source"), topic);
  }

  public InboxFilter ofTopic(String topic) {
    return new InboxFilter(source, requireNonNull(topic, "topic"));
  }
}
