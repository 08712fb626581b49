package outbox.admin;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/**
 * Tells who sent a request. For what neither tokens nor the container's roles can say; given to
 * {@link AdminConfig.Builder#access}, or as the rule of health or metrics at a path of their own.
 * Thread-safe.
 */
@FunctionalInterface
public interface Access {

  /** The sender, or empty if this way of telling does not know them. */
  Optional<Caller> identify(HttpServletRequest request);

  /** Lets everybody look who reaches the address. */
  static Access anybody() {
    Optional<Caller> anybody = Optional.of(new Caller("anonymous", Role.READ));
    return request -> anybody;
  }

  /** Lets in who sends this token as {@code Authorization: Bearer}, to look. */
  static Access token(String user, String token) {
    return new BearerTokens(
        List.of(new Token(new Caller(user, Role.READ), token)), Clock.systemUTC());
  }
}
