package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Proxy;
import java.security.Principal;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ContainerRolesTest {
  private final Access roles = new ContainerRoles("ops-read", "ops-admin");

  @Test
  void theRoleOfTheContainerDecides() {
    assertThat(roles.identify(request("eve", Set.of()))).isEmpty();
    assertThat(roles.identify(request(null, Set.of("ops-admin")))).isEmpty();
    assertThat(roles.identify(request("rita", Set.of("ops-read"))))
        .contains(new Caller("rita", Role.READ));
    assertThat(roles.identify(request("alan", Set.of("ops-read", "ops-admin"))))
        .contains(new Caller("alan", Role.ADMIN));
  }

  @Test
  void withoutAnAdminRoleNoUserIsAdmin() {
    Access readers = new ContainerRoles("ops-read", null);

    assertThat(readers.identify(request("alan", Set.of("ops-read", "ops-admin"))))
        .contains(new Caller("alan", Role.READ));
  }

  @Test
  void aLongNameIsCutToWhatTheTraceHolds() {
    assertThat(roles.identify(request("x".repeat(100), Set.of("ops-read"))))
        .hasValueSatisfying(caller -> assertThat(caller.name()).hasSize(Caller.MAX_NAME));
  }

  @Test
  void aNameThatCannotBeStoredIsMadeOneThatCan() {
    assertThat(
            roles.identify(request("a\0\ud800b" + "\ud83d\ude00".repeat(40), Set.of("ops-read"))))
        .hasValueSatisfying(
            caller -> assertThat(caller.name()).startsWith("ab\ud83d\ude00").hasSize(64));
    assertThat(roles.identify(request(" ", Set.of("ops-read"))))
        .contains(new Caller("(unnamed)", Role.READ));
  }

  private static HttpServletRequest request(@Nullable String user, Set<String> roles) {
    Principal principal = user == null ? null : () -> user;
    return (HttpServletRequest)
        Proxy.newProxyInstance(
            HttpServletRequest.class.getClassLoader(),
            List.of(HttpServletRequest.class).toArray(new Class<?>[0]),
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getUserPrincipal" -> principal;
                  case "isUserInRole" -> roles.contains(String.valueOf(arguments[0]));
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
