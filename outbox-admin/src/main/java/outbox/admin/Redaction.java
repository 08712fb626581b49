package outbox.admin;

import org.jspecify.annotations.Nullable;

/**
 * Removes from a message or a join what must not be shown. Where one throws, nothing is shown.
 * Thread-safe.
 */
@FunctionalInterface
public interface Redaction {

  /** Shows everything as it is. */
  Redaction NONE =
      new Redaction() {
        @Override
        public String text(String topic, String payload) {
          return payload;
        }

        @Override
        public byte[] bytes(String topic, byte[] payload) {
          return payload;
        }
      };

  /** The text that is shown for a payload, or null to hide it. */
  @Nullable String text(String topic, String payload);

  /** The bytes that are shown for a payload, or null to hide it; hidden by default. */
  default byte @Nullable [] bytes(String topic, byte[] payload) {
    return null;
  }

  /** The value that is shown for a header, or null to hide it; as a payload by default. */
  default @Nullable String header(String topic, String name, String value) {
    return text(topic, value);
  }

  /**
   * The text that is shown for the metadata of a join, or null to hide it; as a payload without a
   * topic by default.
   */
  default @Nullable String joinMetadata(@Nullable String groupingKey, String metadata) {
    return text("", metadata);
  }
}
