package outbox.internal.text;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicReference;

/** Makes ULIDs: 26 characters that sort by time and, within this process, strictly increase. */
public final class Ulid {
  private static final char[] ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ".toCharArray();
  private static final int LENGTH = 26;
  private static final long FORTY_BITS = 0xFF_FFFF_FFFFL;
  private static final SecureRandom RANDOM = new SecureRandom();

  /** Not behind a lock, whose holder could lose its processor and stop every other publisher. */
  private static final AtomicReference<State> LAST = new AtomicReference<>(new State(0, 0, 0));

  private Ulid() {}

  public static String next() {
    return LAST.updateAndGet(last -> last.next(System.currentTimeMillis())).text();
  }

  /**
   * The parts of the last id.
   *
   * @param high the upper 40 of its 80 random bits
   */
  private record State(long millis, long high, long low) {
    State next(long now) {
      if (now > millis) {
        // One bit stays free, so that a millisecond has room for 2^39 increments of the upper part.
        return new State(
            now, RANDOM.nextLong() & (FORTY_BITS >> 1), RANDOM.nextLong() & FORTY_BITS);
      }
      return low == FORTY_BITS ? new State(millis, high + 1, 0) : new State(millis, high, low + 1);
    }

    String text() {
      char[] text = new char[LENGTH];
      encode(millis, text, 0, 10);
      encode(high, text, 10, 8);
      encode(low, text, 18, 8);
      return new String(text);
    }
  }

  private static void encode(long value, char[] into, int offset, int length) {
    long rest = value;
    for (int i = offset + length - 1; i >= offset; i--) {
      into[i] = ALPHABET[(int) (rest & 31)];
      rest >>>= 5;
    }
  }
}
