package outbox.admin;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds out who calls. A request that brings credentials is judged by them alone: neither its
 * cookie nor what everybody may do helps it.
 */
final class Callers {
  private static final Caller ANYBODY = new Caller("anonymous", Role.READ);

  private final BearerTokens tokens;
  private final LoginCookie cookie;
  private final List<Access> withCredentials = new ArrayList<>();
  private final List<Access> without = new ArrayList<>();

  Callers(List<Token> tokens, Duration login, List<Access> others, boolean anonymousRead) {
    this.tokens = new BearerTokens(List.copyOf(tokens));
    this.cookie = new LoginCookie(List.copyOf(tokens), login, Clock.systemUTC());
    withCredentials.add(this.tokens);
    withCredentials.addAll(others);
    without.add(cookie);
    without.addAll(others);
    if (anonymousRead) {
      without.add(request -> Optional.of(ANYBODY));
    }
  }

  static boolean bringsCredentials(HttpServletRequest request) {
    return request.getHeader("Authorization") != null;
  }

  Optional<Caller> identify(HttpServletRequest request) {
    return (bringsCredentials(request) ? withCredentials : without)
        .stream().map(access -> access.identify(request)).flatMap(Optional::stream).findFirst();
  }

  BearerTokens tokens() {
    return tokens;
  }

  LoginCookie cookie() {
    return cookie;
  }
}
