package outbox.admin;

import static java.util.Objects.requireNonNull;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.OperatedDatabase;
import outbox.admin.metrics.HealthThresholds;

/**
 * What the servlet shows, to whom, and where. Immutable; made by {@link #builder}.
 *
 * <p>Without a configured credential every request is refused, without an admin every change, and
 * payloads are hidden unless they are allowed.
 */
public final class AdminConfig {
  /** Where the API is unless set otherwise: {@value}. */
  public static final String DEFAULT_API_PATH = "/api/workflow/outbox";

  /** How long a browser stays signed in unless set otherwise. */
  public static final Duration DEFAULT_LOGIN = Duration.ofHours(12);

  /** How often each database is looked at for the charts unless set otherwise. */
  public static final Duration DEFAULT_SAMPLING = Duration.ofSeconds(10);

  final List<OperatedDatabase> databases;
  final HealthThresholds thresholds;
  final Duration sampling;
  final String apiPath;
  final @Nullable String dashboardPath;
  final boolean prometheus;
  final Callers callers;
  final OriginGuard origins;
  final PayloadRule payloads;
  final HostGuard hosts;
  final @Nullable Endpoint health;
  final @Nullable Endpoint metrics;

  private AdminConfig(Builder builder) {
    this.databases = List.copyOf(builder.databases);
    this.thresholds = builder.thresholds;
    this.sampling = builder.sampling;
    this.apiPath = builder.apiPath;
    this.dashboardPath = builder.dashboardPath;
    this.prometheus = builder.prometheus;
    this.callers =
        new Callers(
            builder.tokens, builder.login, builder.roles, builder.accesses, builder.anonymousRead);
    this.origins = new OriginGuard(Set.copyOf(builder.origins));
    this.payloads = new PayloadRule(builder.payloadsFor, new Redactor(builder.redaction));
    this.hosts = HostGuard.of(builder.hosts, builder.origins, this.callers.lettingInWithoutToken());
    this.health = builder.health;
    this.metrics = builder.metrics;
  }

  /** Something that is also served at a path of its own, to whom its own rule lets in. */
  record Endpoint(String path, Access access) {}

  /** Begins with one database; there may be more. */
  public static Builder builder(OperatedDatabase database) {
    return new Builder().database(database);
  }

  /** Where the API is, below the context. */
  public String apiPath() {
    return apiPath;
  }

  /** Where the dashboard is, below the context; empty at its root, null if there is none. */
  public @Nullable String dashboardPath() {
    return dashboardPath;
  }

  /** The patterns to map the servlet to, if it is not alone in its context. */
  public List<String> mappings() {
    Set<String> paths = new LinkedHashSet<>(List.of(apiPath));
    if (dashboardPath != null) {
      paths.add(dashboardPath);
    }
    Stream.of(health, metrics)
        .filter(Objects::nonNull)
        .forEach(endpoint -> paths.add(endpoint.path()));
    return paths.stream().map(path -> path + "/*").toList();
  }

  /** Collects databases and settings. Not thread-safe. */
  public static final class Builder {
    private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9._~-]+)*");
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+]");

    private final List<OperatedDatabase> databases = new ArrayList<>();
    private final List<Token> tokens = new ArrayList<>();
    private final List<Access> accesses = new ArrayList<>();
    private final List<ContainerRoles> roles = new ArrayList<>();
    private final Set<String> origins = new HashSet<>();
    private final Set<String> hosts = new HashSet<>();
    private @Nullable Endpoint health;
    private @Nullable Endpoint metrics;
    private HealthThresholds thresholds = HealthThresholds.DEFAULT;
    private Duration sampling = DEFAULT_SAMPLING;
    private Duration login = DEFAULT_LOGIN;
    private String apiPath = DEFAULT_API_PATH;
    private @Nullable String dashboardPath = "";
    private @Nullable Role payloadsFor;
    private Redaction redaction = Redaction.NONE;
    private boolean prometheus;
    private boolean anonymousRead;

    private Builder() {}

    /** One more database behind the same address; its name says which is meant. */
    public Builder database(OperatedDatabase database) {
      if (databases.stream().anyMatch(known -> known.name().equals(database.name()))) {
        throw new IllegalArgumentException(
            "database (" + database.name() + ") is there already; give each a name of its own");
      }
      databases.add(database);
      return this;
    }

    /** Lets a client that sends this token look. */
    public Builder readToken(String user, String token) {
      tokens.add(new Token(new Caller(user, Role.READ), token));
      return this;
    }

    /** Lets a client that sends this token look and act. */
    public Builder adminToken(String user, String token) {
      tokens.add(new Token(new Caller(user, Role.ADMIN), token));
      return this;
    }

    /**
     * Lets in users whom the container has authenticated, by their roles.
     *
     * @param admin null if no role may act
     */
    public Builder containerRoles(String read, @Nullable String admin) {
      roles.add(new ContainerRoles(requireNonNull(read, "read"), admin));
      return this;
    }

    /** Lets in the senders that this rule identifies; it is asked after roles and before tokens. */
    public Builder access(Access access) {
      accesses.add(requireNonNull(access, "access"));
      return this;
    }

    /**
     * Lets every client that reaches the address look. For a laptop, or behind a proxy that checks.
     */
    public Builder anonymousRead() {
      this.anonymousRead = true;
      return this;
    }

    /** Sets how long a browser stays signed in; 12 hours by default. */
    public Builder login(Duration value) {
      this.login = positive("login", value);
      return this;
    }

    /**
     * Adds another origin from which a browser may act, such as {@code https://ops.example.org};
     * needed behind a proxy that changes the Host header, and behind one on this machine that does
     * not if there is a way in without a token.
     */
    public Builder allowedOrigin(String origin) {
      URI uri = URI.create(origin);
      if (uri.getScheme() == null || uri.getRawAuthority() == null || !uri.getPath().isEmpty()) {
        throw new IllegalArgumentException(
            "allowedOrigin (" + origin + ") must be a scheme, a host and perhaps a port");
      }
      origins.add(origin.toLowerCase(Locale.ROOT));
      return this;
    }

    /**
     * Adds a host name or address of this server. If one is given, the server refuses requests for
     * any other host, except for those of the local host and of allowed origins. Set it where a
     * client gets in without a token: a web site could let its own name point to this server and
     * read it through the browser of a user who reaches it.
     *
     * @param host without scheme and port
     */
    public Builder allowedHost(String host) {
      if (!HOST.matcher(requireNonNull(host, "allowedHost")).matches()) {
        throw new IllegalArgumentException(
            "allowedHost (" + host + ") must be a host name or an address, without a port");
      }
      hosts.add(host.toLowerCase(Locale.ROOT));
      return this;
    }

    /**
     * Serves health at a path of its own too, to whom this rule lets in: for probes, which have no
     * token of the API.
     */
    public Builder healthEndpoint(String path, Access access) {
      this.health = endpoint("healthEndpoint", path, access);
      return this;
    }

    /**
     * Serves metrics at a path of their own too, to whom this rule lets in; in Prometheus' text
     * format at {@code prometheus} below that path, if {@link #prometheus} is set.
     */
    public Builder metricsEndpoint(String path, Access access) {
      this.metrics = endpoint("metricsEndpoint", path, access);
      return this;
    }

    private static Endpoint endpoint(String name, String path, Access access) {
      if (path.isEmpty()) {
        throw new IllegalArgumentException(name + " must not be empty; give it a path like /a");
      }
      return new Endpoint(path(name, path), requireNonNull(access, "access"));
    }

    /** Shows content to callers of this role: payloads, headers and metadata of joins. */
    public Builder showPayloads(Role to) {
      this.payloadsFor = requireNonNull(to, "to");
      return this;
    }

    /** Takes out of payloads, headers and metadata of joins what must not be shown. */
    public Builder redaction(Redaction value) {
      this.redaction = requireNonNull(value, "redaction");
      return this;
    }

    /** Another path of the API than {@value #DEFAULT_API_PATH}. */
    public Builder apiPath(String path) {
      if (requireNonNull(path, "apiPath").isEmpty() || path.equals("/")) {
        throw new IllegalArgumentException("apiPath must not be empty: it tells API from pages");
      }
      this.apiPath = path("apiPath", path);
      return this;
    }

    /** Another path of the dashboard than the root of the context. */
    public Builder dashboardPath(String path) {
      this.dashboardPath = path("dashboardPath", path.equals("/") ? "" : path);
      return this;
    }

    /** Only the API, no pages. */
    public Builder withoutDashboard() {
      this.dashboardPath = null;
      return this;
    }

    /** Shows the figures in Prometheus' text format too. */
    public Builder prometheus() {
      this.prometheus = true;
      return this;
    }

    /** From which figures on a database counts as degraded or unhealthy. */
    public Builder thresholds(HealthThresholds value) {
      this.thresholds = requireNonNull(value, "thresholds");
      return this;
    }

    /** How often each database is looked at for the charts; every 10 seconds by default. */
    public Builder sampling(Duration value) {
      this.sampling = positive("sampling", value);
      return this;
    }

    /**
     * Checks that at least one way in is configured, and that no two tokens are equal.
     *
     * @throws IllegalStateException if there is no way in, or two have the same token
     */
    public AdminConfig build() {
      if (tokens.isEmpty() && roles.isEmpty() && accesses.isEmpty() && !anonymousRead) {
        throw new IllegalStateException(
            "no way in: name a readToken or adminToken, containerRoles or an access, or"
                + " say anonymousRead");
      }
      if (apiPath.equals(dashboardPath)) {
        throw new IllegalStateException(
            "apiPath and dashboardPath (" + apiPath + ") must differ; move one of them");
      }
      if (health != null && metrics != null && health.path().equals(metrics.path())) {
        throw new IllegalStateException(
            "healthEndpoint and metricsEndpoint (" + health.path() + ") must differ; move one");
      }
      return new AdminConfig(this);
    }

    private static String path(String name, String path) {
      if (!PATH.matcher(path).matches()) {
        throw new IllegalArgumentException(
            name + " (" + path + ") must be like /a/b, without a slash at its end");
      }
      return path;
    }

    private static Duration positive(String name, Duration value) {
      if (value.toMillis() <= 0) {
        throw new IllegalArgumentException(name + " (" + value + ") must be positive");
      }
      return value;
    }
  }
}
