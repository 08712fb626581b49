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

  /**
   * @throws IllegalStateException if two have the same token
   */
  Callers(List<Token> tokens, Duration login, List<Access> others, boolean anonymousRead) {
    for (int i = 1; i < tokens.size(); i++) {
      checkOwn(tokens.get(i), tokens.subList(0, i));
    }
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

  private static void checkOwn(Token token, List<Token> others) {
    others.stream()
        .filter(token::sameSecret)
        .findFirst()
        .ifPresent(
            other -> {
              throw new IllegalStateException(
                  "the tokens of "
                      + other.owner().name()
                      + " and "
                      + token.owner().name()
                      + " are the same; give each one of their own, or nobody can tell who acted");
            });
  }

  /**
   * Whether there is a way in that needs no token: what a request comes with, or nothing at all.
   */
  boolean lettingInWithoutToken() {
    return without.size() > 1;
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
