package outbox.admin;

import org.jspecify.annotations.Nullable;

/**
 * Takes out of a message what nobody may see, before it is shown. Where one throws, nothing is
 * shown. Thread-safe.
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

  /** The value that is shown for a header; as it is by default. */
  default String header(String topic, String name, String value) {
    return value;
  }
}
