package outbox.admin;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds out who calls. A request that brings credentials is judged by them alone: neither its
 * cookie nor anonymous access helps it. Tokens are asked last, so that credentials which others
 * know are not taken for wrong tokens.
 */
final class Callers implements Access {
  private final BearerTokens tokens;
  private final LoginCookie cookie;
  private final boolean lettingInWithoutToken;
  private final List<Access> withCredentials = new ArrayList<>();
  private final List<Access> without = new ArrayList<>();

  /**
   * @param roles whom the container has let in
   * @param others ways of telling that the application brings
   * @throws IllegalStateException if two have the same token
   */
  Callers(
      List<Token> tokens,
      Duration login,
      List<ContainerRoles> roles,
      List<Access> others,
      boolean anonymousRead) {
    for (int i = 1; i < tokens.size(); i++) {
      checkOwn(tokens.get(i), tokens.subList(0, i));
    }
    Clock clock = Clock.systemUTC();
    this.tokens = new BearerTokens(tokens, clock);
    this.cookie = new LoginCookie(List.copyOf(tokens), login, clock);
    this.lettingInWithoutToken = anonymousRead || !others.isEmpty();
    withCredentials.addAll(roles);
    withCredentials.addAll(others);
    withCredentials.add(this.tokens);
    without.add(cookie);
    without.addAll(roles);
    without.addAll(others);
    if (anonymousRead) {
      without.add(Access.anonymous());
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
                      + " are the same; give each one of their own, or the log cannot tell who"
                      + " acted");
            });
  }

  /**
   * Whether a request without a credential of this server may get in. What the container knows a
   * browser by does not count: the browser sends it to the names only that it got it from.
   */
  boolean lettingInWithoutToken() {
    return lettingInWithoutToken;
  }

  static boolean bringsCredentials(HttpServletRequest request) {
    return request.getHeader("Authorization") != null;
  }

  @Override
  public Optional<Caller> identify(HttpServletRequest request) {
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
