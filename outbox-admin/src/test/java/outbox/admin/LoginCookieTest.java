package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.testing.SettableClock;

/** How long a browser stays signed in, by a clock that moves only when told to. */
class LoginCookieTest {
  private static final Duration LENGTH = Duration.ofHours(1);
  private static final Caller RITA = new Caller("rita", Role.READ);
  private static final Caller ALAN = new Caller("alan", Role.ADMIN);

  private final SettableClock clock = new SettableClock();
  private final Token rita = new Token(RITA, Site.READER);
  private final Token alan = new Token(ALAN, Site.ADMIN);
  private final LoginCookie cookies = new LoginCookie(List.of(rita, alan), LENGTH, clock);

  @Test
  void isGoodUntilTheMomentAtWhichItExpires() {
    String header = cookies.signIn(alan, request());
    assertThat(header).contains("; Max-Age=3600;");
    clock.advance(LENGTH.minusMillis(1));
    assertThat(cookies.identify(with(header))).contains(ALAN);

    clock.advance(Duration.ofMillis(1));

    assertThat(cookies.identify(with(header))).isEmpty();
  }

  @Test
  void isOfItsOwnerWhoeverElseHasAToken() {
    assertThat(cookies.identify(with(cookies.signIn(rita, request())))).contains(RITA);
    assertThat(cookies.identify(with(cookies.signIn(alan, request())))).contains(ALAN);
  }

  @Test
  void isNotGoodWhereItsTokenIsNotKnown() {
    LoginCookie others = new LoginCookie(List.of(rita), LENGTH, clock);

    assertThat(others.identify(with(cookies.signIn(alan, request())))).isEmpty();
  }

  @Test
  void noTwoAreTheSame() {
    assertThat(cookies.signIn(alan, request())).isNotEqualTo(cookies.signIn(alan, request()));
  }

  @Test
  void anotherCookieIsNone() {
    String header = cookies.signIn(alan, request());
    Cookie renamed = new Cookie("other", value(header));

    assertThat(cookies.identify(request(renamed))).isEmpty();
    assertThat(cookies.identify(request((Cookie[]) null))).isEmpty();
  }

  private static String value(String header) {
    return header.substring(header.indexOf('=') + 1, header.indexOf(';'));
  }

  /** A request with the cookie that this header sets. */
  private static HttpServletRequest with(String header) {
    return request(new Cookie(LoginCookie.NAME, value(header)));
  }

  private static HttpServletRequest request(Cookie @Nullable ... cookies) {
    return (HttpServletRequest)
        Proxy.newProxyInstance(
            HttpServletRequest.class.getClassLoader(),
            new Class<?>[] {HttpServletRequest.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getCookies" -> cookies;
                  case "getContextPath" -> "";
                  case "isSecure" -> false;
                  case "getHeader" -> null;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
