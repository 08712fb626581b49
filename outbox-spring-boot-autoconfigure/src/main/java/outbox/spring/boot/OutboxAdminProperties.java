package outbox.spring.boot;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import outbox.admin.Access;
import outbox.admin.AdminConfig;
import outbox.admin.Role;
import outbox.admin.data.OperatedDatabase;
import outbox.admin.metrics.HealthThresholds;

/**
 * Settings of the dashboard and its API.
 *
 * @param enabled whether they are there at all
 * @param path where the dashboard is, below the context
 * @param apiPath where the API is, below the context
 * @param readTokens tokens of users who may look, by user name
 * @param adminTokens tokens of users who may act, by user name
 * @param readRole role of the application's own security that may look
 * @param adminRole role of the application's own security that may act; needs a role to look
 * @param anonymousRead whether every client that reaches the address may look
 * @param payloadsFor the least role that sees payloads; none by default
 * @param allowedOrigins origins other than the own host from which a browser may act
 * @param allowedHosts hosts by which the application is asked for; if one is given, no other is
 *     served but the local one
 * @param healthEndpoint health at a path of its own too
 * @param metricsEndpoint metrics at a path of their own too
 * @param prometheus whether the figures are there in Prometheus' text format too
 * @param login how long a browser stays signed in
 * @param sampling how often the database is looked at for the charts
 * @param timeLimit how long a statement may take
 * @param rates where throughput and failure ratio come from: the table, which knows all nodes but
 *     only what is still there, or this process, which has counted what it delivered; the table
 *     unless events are deleted when they are done
 * @param window the time over which throughput and failure ratio are measured
 * @param oldFailures from how many failed deliveries on a pending event is an old failure
 * @param health when the database counts as degraded or unhealthy
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
    @DefaultValue List<String> allowedHosts,
    @DefaultValue Endpoint healthEndpoint,
    @DefaultValue Endpoint metricsEndpoint,
    @DefaultValue("false") boolean prometheus,
    @DefaultValue("12h") Duration login,
    @DefaultValue("10s") Duration sampling,
    @DefaultValue("5s") Duration timeLimit,
    @Nullable Rates rates,
    @DefaultValue("1m") Duration window,
    @DefaultValue("3") int oldFailures,
    @DefaultValue Health health) {

  /**
   * A path of its own with a rule of its own who may ask.
   *
   * @param path where it is, below the context; nowhere by default
   * @param token lets in clients that send it
   * @param anonymous lets in every client that reaches the address
   */
  public record Endpoint(
      @Nullable String path, @Nullable String token, @DefaultValue("false") boolean anonymous) {

    private Access access(String property) {
      if (anonymous == (token != null)) {
        throw new OutboxSetupException(
            "outbox.admin." + property + ".path is set, but not who may ask there.",
            "Set either outbox.admin."
                + property
                + ".token or outbox.admin."
                + property
                + ".anonymous=true.");
      }
      return token == null ? Access.anonymous() : Access.token(property, token);
    }
  }

  /** Where throughput and failure ratio come from. */
  public enum Rates {
    /** From completed events that are still there, and those that failed: of all nodes. */
    TABLE,
    /** From what the outbox of this process has delivered. */
    PROCESS
  }

  /**
   * When the database counts as degraded or unhealthy.
   *
   * @param degraded figures from which on it is degraded
   * @param unhealthy figures from which on it is unhealthy
   */
  public record Health(@DefaultValue Limits degraded, @DefaultValue Limits unhealthy) {

    private HealthThresholds thresholds() {
      HealthThresholds usual = HealthThresholds.DEFAULT;
      try {
        return new HealthThresholds(
            limit("backlog", usual.backlog(), degraded.backlog, unhealthy.backlog),
            limit("dead", usual.dead(), degraded.dead, unhealthy.dead),
            limit("oldest-age", usual.oldestAge(), degraded.oldestAge, unhealthy.oldestAge),
            limit(
                "failure-ratio",
                usual.failureRatio(),
                degraded.failureRatio,
                unhealthy.failureRatio));
      } catch (IllegalArgumentException e) {
        throw new OutboxSetupException(
            "A limit under outbox.admin.health is refused: " + e.getMessage() + ".",
            "Change that limit: backlog, dead and oldest-age must not be negative, failure-ratio"
                + " must be from 0 to 1.",
            e);
      }
    }

    private static <T extends Comparable<T>> HealthThresholds.Limit<T> limit(
        String name, HealthThresholds.Limit<T> usual, @Nullable T degraded, @Nullable T unhealthy) {
      try {
        return new HealthThresholds.Limit<>(
            degraded == null ? usual.degraded() : degraded,
            unhealthy == null ? usual.unhealthy() : unhealthy);
      } catch (IllegalArgumentException e) {
        throw new OutboxSetupException(
            "The limits of "
                + name
                + " under outbox.admin.health are refused: "
                + e.getMessage()
                + ".",
            "Set both outbox.admin.health.degraded."
                + name
                + " and outbox.admin.health.unhealthy."
                + name
                + ".",
            e);
      }
    }
  }

  /**
   * Figures from which on something is wrong.
   *
   * @param backlog events that are due
   * @param dead dead letters
   * @param oldestAge how long the oldest pending event waits
   * @param failureRatio share of deliveries that fail, from 0 to 1
   */
  public record Limits(
      @Nullable Long backlog,
      @Nullable Long dead,
      @Nullable Duration oldestAge,
      @Nullable Double failureRatio) {}

  boolean ratesOfProcess(boolean deleteWhenDone) {
    return rates == null ? deleteWhenDone : rates == Rates.PROCESS;
  }

  /** Counts what this process delivers. */
  DeliveryRates deliveryRates() {
    return checked("window", () -> new DeliveryRates(window));
  }

  /** The database with what is measured of it. */
  OperatedDatabase.Builder measured(OperatedDatabase.Builder database) {
    OperatedDatabase.Builder windowed = checked("window", () -> database.window(window));
    return checked("old-failures", () -> windowed.oldFailures(oldFailures));
  }

  private static <T> T checked(String property, Supplier<T> setting) {
    try {
      return setting.get();
    } catch (IllegalArgumentException e) {
      throw new OutboxSetupException(
          "outbox.admin." + property + " is refused: " + e.getMessage() + ".",
          "Change outbox.admin." + property + ", or leave it out.",
          e);
    }
  }

  /** The settings in the form of the servlet. */
  AdminConfig.Builder config(OperatedDatabase database) {
    AdminConfig.Builder config =
        AdminConfig.builder(database)
            .apiPath(apiPath)
            .dashboardPath(path)
            .login(login)
            .sampling(sampling)
            .thresholds(health.thresholds());
    readTokens.forEach(
        (user, token) -> add("read-tokens." + user, () -> config.readToken(user, token)));
    adminTokens.forEach(
        (user, token) -> add("admin-tokens." + user, () -> config.adminToken(user, token)));
    allowedOrigins.forEach(config::allowedOrigin);
    allowedHosts.forEach(config::allowedHost);
    if (healthEndpoint.path != null) {
      config.healthEndpoint(healthEndpoint.path, healthEndpoint.access("health-endpoint"));
    }
    if (metricsEndpoint.path != null) {
      config.metricsEndpoint(metricsEndpoint.path, metricsEndpoint.access("metrics-endpoint"));
    }
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
