package outbox.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Keeps a browser signed in without a session on the server: the cookie says whose it is and until
 * when, signed with the token that was given. It is good on every node that knows the token, and no
 * longer than the token.
 */
final class LoginCookie implements Access {
  static final String NAME = "outbox_login";

  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

  private final List<Token> tokens;
  private final Duration length;
  private final Clock clock;

  LoginCookie(List<Token> tokens, Duration length, Clock clock) {
    this.tokens = tokens;
    this.length = length;
    this.clock = clock;
  }

  @Override
  public Optional<Caller> identify(HttpServletRequest request) {
    Cookie[] cookies = request.getCookies();
    for (Cookie cookie : cookies == null ? new Cookie[0] : cookies) {
      if (cookie.getName().equals(NAME)) {
        return owner(cookie.getValue());
      }
    }
    return Optional.empty();
  }

  private Optional<Caller> owner(String value) {
    int end = value.lastIndexOf('.');
    int dot = value.indexOf('.');
    if (dot < 0 || dot == end) {
      return Optional.empty();
    }
    byte[] signature = value.substring(end + 1).getBytes(UTF_8);
    String signed = value.substring(0, end);
    return tokens.stream()
        .filter(token -> MessageDigest.isEqual(signature(token, signed), signature))
        .filter(token -> clock.millis() < Long.parseLong(value.substring(dot + 1, end)))
        .map(Token::owner)
        .findFirst();
  }

  /** The header that signs its owner in. */
  String signIn(Token token, boolean secure, String path) {
    String name = ENCODER.encodeToString(token.owner().name().getBytes(UTF_8));
    String signed = name + "." + (clock.millis() + length.toMillis());
    byte[] signature = signature(token, signed);
    String value = signed + "." + new String(signature, UTF_8);
    return header(value, length.toSeconds(), secure, path);
  }

  /** The header that signs out. */
  String signOut(boolean secure, String path) {
    return header("", 0, secure, path);
  }

  private static String header(String value, long maxAge, boolean secure, String path) {
    return NAME
        + "="
        + value
        + "; Path="
        + path
        + "; Max-Age="
        + maxAge
        + "; HttpOnly; SameSite=Strict"
        + (secure ? "; Secure" : "");
  }

  private static byte[] signature(Token token, String signed) {
    return ENCODER.encode(token.sign(signed));
  }
}
