package outbox.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a browser signed in without a session on the server: the cookie says whose it is and until
 * when, signed with the token that was given. It is good on every node that knows the token, no
 * longer than the token, and on this node until its browser signs out.
 */
final class LoginCookie implements Access {
  static final String NAME = "outbox_login";

  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int PARTS = 4;

  private final List<Token> tokens;
  private final Duration length;
  private final Clock clock;
  private final SignedOut signedOut = new SignedOut();

  LoginCookie(List<Token> tokens, Duration length, Clock clock) {
    this.tokens = tokens;
    this.length = length;
    this.clock = clock;
  }

  @Override
  public Optional<Caller> identify(HttpServletRequest request) {
    return valid(request).map(Login::owner).findFirst();
  }

  private Stream<Login> valid(HttpServletRequest request) {
    Cookie[] cookies = request.getCookies();
    return Arrays.stream(cookies == null ? new Cookie[0] : cookies)
        .filter(cookie -> cookie.getName().equals(NAME))
        .flatMap(cookie -> login(cookie.getValue()).stream())
        .filter(login -> clock.millis() < login.expires)
        .filter(login -> !signedOut.contains(login.signature, login.expires));
  }

  /** Owner, end, a random part that tells logins apart, and the signature of the three. */
  private Optional<Login> login(String value) {
    String[] parts = value.split("\\.", -1);
    if (parts.length != PARTS) {
      return Optional.empty();
    }
    byte[] signature = parts[PARTS - 1].getBytes(UTF_8);
    String signed = value.substring(0, value.lastIndexOf('.'));
    return tokens.stream()
        .filter(token -> MessageDigest.isEqual(signature(token, signed), signature))
        .map(token -> new Login(token.owner(), Long.parseLong(parts[1]), parts[PARTS - 1]))
        .findFirst();
  }

  /** The header that signs its owner in. */
  String signIn(Token token, HttpServletRequest request) {
    String name = ENCODER.encodeToString(token.owner().name().getBytes(UTF_8));
    byte[] random = new byte[12];
    RANDOM.nextBytes(random);
    String signed =
        name + "." + (clock.millis() + length.toMillis()) + "." + ENCODER.encodeToString(random);
    byte[] signature = signature(token, signed);
    return header(signed + "." + new String(signature, UTF_8), length.toSeconds(), request);
  }

  /** The header that signs out; the cookie is no longer valid, nor is any copy of it. */
  String signOut(HttpServletRequest request) {
    valid(request).toList().forEach(login -> signedOut.add(login.signature, login.expires));
    return header("", 0, request);
  }

  /** The API may be outside the dashboard's own path, but is never outside the context. */
  private static String header(String value, long maxAge, HttpServletRequest request) {
    String context = request.getContextPath();
    return NAME
        + "="
        + value
        + "; Path="
        + (context.isEmpty() ? "/" : context)
        + "; Max-Age="
        + maxAge
        + "; HttpOnly; SameSite=Strict"
        + (overTls(request) ? "; Secure" : "");
  }

  /**
   * Whether the browser speaks TLS, if only to a proxy. It says so itself in the origin of its
   * page. Any of the headers may be believed: who lies keeps the own cookie from plain HTTP.
   */
  private static boolean overTls(HttpServletRequest request) {
    return request.isSecure()
        || starts(request.getHeader("Origin"), "https:")
        || starts(request.getHeader("X-Forwarded-Proto"), "https")
        || lower(request.getHeader("Forwarded")).matches(".*\\bproto=\"?https\\b.*");
  }

  private static boolean starts(@Nullable String header, String beginning) {
    return lower(header).startsWith(beginning);
  }

  private static String lower(@Nullable String header) {
    return header == null ? "" : header.strip().toLowerCase(Locale.ROOT);
  }

  private static byte[] signature(Token token, String signed) {
    return ENCODER.encode(token.sign(signed));
  }

  private record Login(Caller owner, long expires, String signature) {}
}
