package outbox.admin;

import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Refuses what was sent to a name that is not this host's. A site can let its own name point to the
 * local host, so that a browser takes the answers for the site's and lets its scripts read them;
 * where only those on this machine are to get in without a token, such a name must not help.
 *
 * @param names the hosts that are meant here beside the local one; null if any is
 */
record HostGuard(@Nullable Set<String> names) {
  static final HostGuard NONE = new HostGuard(null);

  /** No name that somebody could register, and no address outside this machine. */
  private static final Pattern LOCAL =
      Pattern.compile("localhost|.+\\.localhost|127(\\.\\d{1,3}){3}|\\[?(::1|0:0:0:0:0:0:0:1)]?");

  /** Of a server that listens to an address. */
  static HostGuard of(AdminConfig config, String address) {
    if (!config.callers.lettingInWithoutToken() || !isLoopback(address)) {
      return NONE;
    }
    Set<String> names = new HashSet<>(Set.of(address.toLowerCase(Locale.ROOT)));
    for (String origin : config.origins.allowedOrigins()) {
      String host = URI.create(origin).getHost();
      if (host != null) {
        names.add(host);
      }
    }
    return new HostGuard(Set.copyOf(names));
  }

  private static boolean isLoopback(String address) {
    try {
      return InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  void check(HttpServletRequest request) {
    String host = request.getServerName().toLowerCase(Locale.ROOT);
    if (names != null && !names.contains(host) && !LOCAL.matcher(host).matches()) {
      throw Problem.forbidden(
          "This server is for its own machine; it is not known by the name that was asked for. If"
              + " it should be, allow the origin of that name.");
    }
  }
}
