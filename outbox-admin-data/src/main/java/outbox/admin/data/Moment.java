package outbox.admin.data;

import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a message, or will.
 *
 * @param detail who or why; null if there is no more to say
 */
public record Moment(Instant at, What what, @Nullable String detail) {

  /** What happened. */
  public enum What {
    /** By the sender's clock. */
    OCCURRED,
    STORED,
    /** An inbox got it once more. */
    SEEN_AGAIN,
    /** The time that was asked for. */
    DUE,
    REPLAYED,
    /** When it is tried again after a failure. */
    NEXT_TRY,
    /** When the lease of its holder ends, unless it is renewed. */
    LEASED_UNTIL,
    /** From then on it is no longer delivered. */
    EXPIRES,
    DIED,
    DISCARDED,
    DONE;

    /** As people read it, such as "seen again". */
    public String words() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }
}
