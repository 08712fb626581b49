package outbox.admin;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/**
 * Identifies the sender of a request, where neither tokens nor the container's roles do. Pass it to
 * {@link AdminConfig.Builder#access}, or as the rule of health or metrics at a path of their own.
 * Thread-safe.
 */
@FunctionalInterface
public interface Access {

  /** Returns the sender, or empty if this rule does not know the sender. */
  Optional<Caller> identify(HttpServletRequest request);

  /** Lets every client that reaches the address look. */
  static Access anonymous() {
    Optional<Caller> anonymous = Optional.of(new Caller("anonymous", Role.READ));
    return request -> anonymous;
  }

  /** Lets clients that send this token as {@code Authorization: Bearer} look. */
  static Access token(String user, String token) {
    return new BearerTokens(
        List.of(new Token(new Caller(user, Role.READ), token)), Clock.systemUTC());
  }
}
