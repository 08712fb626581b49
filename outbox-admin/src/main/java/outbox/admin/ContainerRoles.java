package outbox.admin;

import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Whom the container has let in, by the roles that it knows. */
record ContainerRoles(String read, @Nullable String admin) implements Access {

  @Override
  public Optional<Caller> identify(HttpServletRequest request) {
    Principal user = request.getUserPrincipal();
    if (user == null) {
      return Optional.empty();
    }
    if (admin != null && request.isUserInRole(admin)) {
      return Optional.of(new Caller(name(user), Role.ADMIN));
    }
    return request.isUserInRole(read)
        ? Optional.of(new Caller(name(user), Role.READ))
        : Optional.empty();
  }

  /** As much of the name as the trace holds, without what no text column can. */
  private static String name(Principal user) {
    StringBuilder name = new StringBuilder(Caller.MAX_NAME);
    (user.getName() == null ? "" : user.getName())
        .codePoints()
        .filter(c -> c != 0 && Character.getType(c) != Character.SURROGATE)
        .takeWhile(c -> name.length() + Character.charCount(c) <= Caller.MAX_NAME)
        .forEach(name::appendCodePoint);
    return name.toString().isBlank() ? "(unnamed)" : name.toString();
  }
}
