package outbox.demo;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import java.util.Set;
import outbox.admin.Access;
import outbox.admin.Caller;
import outbox.admin.Role;

/**
 * Lets whoever sits at this machine do everything, without a token: fit for a demo that listens to
 * the loopback address, and for nothing else. The name is checked because a page from elsewhere may
 * have its own name point here.
 */
final class Loopback implements Access {
  private static final Set<String> NAMES = Set.of("127.0.0.1", "localhost");

  @Override
  public Optional<Caller> identify(HttpServletRequest request) {
    return NAMES.contains(request.getServerName())
        ? Optional.of(new Caller("you", Role.ADMIN))
        : Optional.empty();
  }
}
