package outbox.admin;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Refuses what was sent to a name that is not this host's. A site can let its own name point to
 * this host, so that a browser takes the answers for the site's and lets its scripts read them.
 * Where names are listed, a request must be for one of them. Where none is, that holds for requests
 * that reach the local host, if a client gets in without a token.
 *
 * @param names the hosts that are meant here beside the local one
 * @param always whether all requests are checked
 * @param local whether those that reach the local host are
 */
record HostGuard(Set<String> names, boolean always, boolean local) {
  /** No name that a site could register, and no address outside this machine. */
  private static final Pattern LOCAL =
      Pattern.compile("localhost|.+\\.localhost|127(\\.\\d{1,3}){3}|\\[?(::1|0:0:0:0:0:0:0:1)]?");

  static HostGuard of(
      Collection<String> hosts, Collection<String> origins, boolean lettingInWithoutToken) {
    Set<String> names = new HashSet<>(hosts);
    for (String origin : origins) {
      String host = URI.create(origin).getHost();
      if (host != null) {
        names.add(host);
      }
    }
    return new HostGuard(Set.copyOf(names), !hosts.isEmpty(), lettingInWithoutToken);
  }

  /** Of a server that was told to listen to this name or address. */
  HostGuard listeningTo(String host) {
    Set<String> all = new HashSet<>(names);
    all.add(host.toLowerCase(Locale.ROOT));
    return new HostGuard(Set.copyOf(all), always, local);
  }

  void check(HttpServletRequest request) {
    String host = request.getServerName().toLowerCase(Locale.ROOT);
    if (applies(request) && !names.contains(host) && !LOCAL.matcher(host).matches()) {
      throw Problem.forbidden(
          "This server is not known by the name that was asked for. If it should be, allow that"
              + " host.");
    }
  }

  private boolean applies(HttpServletRequest request) {
    String reached = request.getLocalAddr();
    return always || (local && reached != null && LOCAL.matcher(reached).matches());
  }
}
