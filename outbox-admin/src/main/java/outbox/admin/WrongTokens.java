package outbox.admin;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Slows down a client that guesses tokens. An address that sent too many wrong ones is refused
 * until the window ends, whatever it sends, except for a token that was right from that address
 * before. When too many were wrong in all, each address may be wrong once only; the first try of an
 * address is always judged. Remembers a bounded number of addresses. Thread-safe.
 */
final class WrongTokens {
  static final int PER_ADDRESS = 10;
  static final int IN_ALL = 100;
  static final Duration WINDOW = Duration.ofMinutes(1);
  static final int MAX_ADDRESSES = 10_000;
  private static final int IPV6_BYTES = 16;

  private final Clock clock;
  private final ActionLog log = new ActionLog();
  private final Map<String, Integer> wrong = bounded();
  private final Map<String, Boolean> known = bounded();
  private long windowEnds;
  private int inAll;

  WrongTokens(Clock clock) {
    this.clock = clock;
  }

  /**
   * Notes whether a token was right.
   *
   * @param from the address of the sender
   * @param owner whose token it is; null if it is wrong
   * @throws Problem if it is not judged, because too many were wrong
   */
  synchronized void judge(@Nullable String from, @Nullable String owner) {
    long now = clock.millis();
    if (now >= windowEnds) {
      wrong.clear();
      inAll = 0;
      windowEnds = now + WINDOW.toMillis();
    }
    String address = network(from);
    if (owner != null && known.get(address + ' ' + owner) != null) {
      return;
    }
    int before = wrong.getOrDefault(address, 0);
    if (before >= (inAll >= IN_ALL ? 1 : PER_ADDRESS)) {
      long seconds = (windowEnds - now + 999) / 1000;
      String detail = "Too many wrong tokens. Try again in " + seconds + " seconds.";
      throw Problem.later(429, "Too many requests", detail, seconds);
    }
    if (owner != null) {
      known.put(address + ' ' + owner, true);
      return;
    }
    wrong.put(address, before + 1);
    inAll++;
    if (before + 1 == PER_ADDRESS || inAll == IN_ALL) {
      log.throttled(address, before + 1, inAll);
    }
  }

  synchronized int size() {
    return wrong.size();
  }

  /** The network of an IPv6 address: its owner chooses the other half. */
  private static String network(@Nullable String from) {
    if (from == null || from.indexOf(':') < 0) {
      return from == null ? "" : from;
    }
    try {
      byte[] address = InetAddress.getByName(from).getAddress();
      if (address.length == IPV6_BYTES) {
        Arrays.fill(address, IPV6_BYTES / 2, IPV6_BYTES, (byte) 0);
      }
      return InetAddress.getByAddress(address).getHostAddress();
    } catch (UnknownHostException e) {
      return from;
    }
  }

  private static <V> Map<String, V> bounded() {
    return new LinkedHashMap<>(16, 0.75f, true) {
      private static final long serialVersionUID = 1;

      @Override
      protected boolean removeEldestEntry(Map.Entry<String, V> oldest) {
        return size() > MAX_ADDRESSES;
      }
    };
  }
}
