package outbox.spring.boot;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import outbox.admin.AdminConfig;
import outbox.admin.Role;
import outbox.admin.data.OperatedDatabase;

/**
 * Settings of the dashboard and its API.
 *
 * @param enabled whether they are there at all
 * @param path where the dashboard is, below the context
 * @param apiPath where the API is, below the context
 * @param readTokens tokens of those who may look, by the names under which they are known
 * @param adminTokens tokens of those who may act, by the names under which they are known
 * @param readRole role of the application's own security that may look
 * @param adminRole role of the application's own security that may act; needs a role to look
 * @param anonymousRead whether everybody may look who reaches the address
 * @param payloadsFor the least role that sees payloads; nobody by default
 * @param allowedOrigins origins other than the own host from which a browser may act
 * @param prometheus whether the figures are there in Prometheus' text format too
 * @param login how long a browser stays signed in
 * @param sampling how often the database is looked at for the charts
 * @param timeLimit how long a statement may take
 */
@ConfigurationProperties("outbox.admin")
public record OutboxAdminProperties(
    @DefaultValue("false") boolean enabled,
    @DefaultValue("/outbox") String path,
    @DefaultValue(AdminConfig.DEFAULT_API_PATH) String apiPath,
    @DefaultValue Map<String, String> readTokens,
    @DefaultValue Map<String, String> adminTokens,
    @Nullable String readRole,
    @Nullable String adminRole,
    @DefaultValue("false") boolean anonymousRead,
    @Nullable Role payloadsFor,
    @DefaultValue List<String> allowedOrigins,
    @DefaultValue("false") boolean prometheus,
    @DefaultValue("12h") Duration login,
    @DefaultValue("10s") Duration sampling,
    @DefaultValue("5s") Duration timeLimit) {

  /** The settings in the form of the servlet. */
  AdminConfig.Builder config(OperatedDatabase database) {
    AdminConfig.Builder config =
        AdminConfig.builder(database)
            .apiPath(apiPath)
            .dashboardPath(path)
            .login(login)
            .sampling(sampling);
    readTokens.forEach(
        (user, token) -> add("read-tokens." + user, () -> config.readToken(user, token)));
    adminTokens.forEach(
        (user, token) -> add("admin-tokens." + user, () -> config.adminToken(user, token)));
    allowedOrigins.forEach(config::allowedOrigin);
    if (readRole != null) {
      config.containerRoles(readRole, adminRole);
    }
    if (anonymousRead) {
      config.anonymousRead();
    }
    if (payloadsFor != null) {
      config.showPayloads(payloadsFor);
    }
    if (prometheus) {
      config.prometheus();
    }
    return config;
  }

  private static void add(String property, Runnable token) {
    try {
      token.run();
    } catch (IllegalArgumentException e) {
      throw new OutboxSetupException(
          "outbox.admin." + property + " is refused: " + e.getMessage() + ".",
          "Set outbox.admin." + property + " to a secret that only its owner knows.",
          e);
    }
  }
}
