package outbox.admin;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Refuses what another site makes a browser send. A request that changes something needs a header
 * that no form can set and no foreign script may, and an origin, if one is told, that is this host.
 * The scheme is not compared: TLS often ends before the container.
 */
record OriginGuard(Set<String> allowedOrigins) {
  static final String HEADER = "X-Outbox-Action";

  void check(HttpServletRequest request) {
    String origin = request.getHeader("Origin");
    if (origin != null && !allowed(origin) && !sameHost(origin, request.getHeader("Host"))) {
      throw Problem.forbidden("Requests from other sites change nothing here.");
    }
    if (!"1".equals(request.getHeader(HEADER))) {
      throw Problem.forbidden(
          "A request that changes something needs the header " + HEADER + ": 1.");
    }
  }

  private boolean allowed(String origin) {
    return allowedOrigins.contains(origin.toLowerCase(Locale.ROOT));
  }

  private static boolean sameHost(String origin, @Nullable String host) {
    try {
      URI uri = URI.create(origin);
      String authority = uri.getRawAuthority();
      return host != null
          && authority != null
          && bare(authority, uri.getScheme()).equals(bare(host, uri.getScheme()));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Without the port that the scheme implies. */
  private static String bare(String authority, String scheme) {
    String port = "https".equalsIgnoreCase(scheme) ? ":443" : ":80";
    String lower = authority.toLowerCase(Locale.ROOT);
    return lower.endsWith(port) ? lower.substring(0, lower.length() - port.length()) : lower;
  }
}
