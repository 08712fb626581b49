package outbox.util;

import java.security.SecureRandom;

/** Makes ULIDs: 26 characters that sort by time and, within this process, strictly increase. */
public final class Ulid {
  private static final char[] ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ".toCharArray();
  private static final int LENGTH = 26;
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final Object LOCK = new Object();

  private static long lastMillis;
  private static long high;
  private static long low;

  private Ulid() {}

  public static String next() {
    long millis;
    long randomHigh;
    long randomLow;
    synchronized (LOCK) {
      long now = System.currentTimeMillis();
      if (now > lastMillis) {
        lastMillis = now;
        // One bit stays free, so that a millisecond has room for 2^39 increments of the upper part.
        high = RANDOM.nextLong() & 0x7F_FFFF_FFFFL;
        low = RANDOM.nextLong() & 0xFF_FFFF_FFFFL;
      } else {
        low = (low + 1) & 0xFF_FFFF_FFFFL;
        if (low == 0) {
          high++;
        }
      }
      millis = lastMillis;
      randomHigh = high;
      randomLow = low;
    }
    char[] text = new char[LENGTH];
    encode(millis, text, 0, 10);
    encode(randomHigh, text, 10, 8);
    encode(randomLow, text, 18, 8);
    return new String(text);
  }

  private static void encode(long value, char[] into, int offset, int length) {
    long rest = value;
    for (int i = offset + length - 1; i >= offset; i--) {
      into[i] = ALPHABET[(int) (rest & 31)];
      rest >>>= 5;
    }
  }
}
