package outbox.admin.data;

import org.jspecify.annotations.Nullable;

/**
 * What was sent, as far as it may be seen.
 *
 * @param text the first {@link #MAX_SHOWN} characters; null unless the kind is TEXT
 * @param bytes the first {@link #MAX_SHOWN} bytes; null unless the kind is BYTES
 * @param size of the whole in bytes; 0 if it was cleared
 */
@SuppressWarnings("ArrayRecordComponent")
public record Payload(Kind kind, @Nullable String text, byte @Nullable [] bytes, long size) {
  /** Characters or bytes that are shown at the most: {@value}. */
  public static final int MAX_SHOWN = 1 << 20;

  static final Payload CLEARED = new Payload(Kind.CLEARED, null, null, 0);

  /** What there is to be seen. */
  public enum Kind {
    TEXT,
    BYTES,
    /** It was not asked for. */
    HIDDEN,
    /** Retention has removed it, or it never came. */
    CLEARED
  }

  /** Never content: payloads do not belong in a log. */
  @Override
  public String toString() {
    return "Payload[" + kind + " " + size + " bytes]";
  }
}
