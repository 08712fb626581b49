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

  private static String name(Principal user) {
    String name = user.getName();
    if (name == null || name.isBlank()) {
      return "(unnamed)";
    }
    return name.length() <= Caller.MAX_NAME ? name : name.substring(0, Caller.MAX_NAME);
  }
}
