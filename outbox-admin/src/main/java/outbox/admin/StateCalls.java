package outbox.admin;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.NodeRow;
import outbox.admin.data.Presence;
import outbox.admin.json.JsonObject;
import outbox.admin.json.StateJson;
import outbox.admin.metrics.Health;
import outbox.admin.metrics.MetricsSnapshot;
import outbox.admin.metrics.PrometheusText;

/** How the databases are: overview, figures, health, and who works. */
final class StateCalls {
  private static final int MAX_GROUPS = 50;

  private final Watches databases;
  private final boolean prometheus;

  StateCalls(Watches databases, boolean prometheus) {
    this.databases = databases;
    this.prometheus = prometheus;
  }

  List<Route> routes() {
    Set<String> db = Set.of("db");
    List<Route> routes =
        new ArrayList<>(
            List.of(
                Route.get("/databases", Set.of(), call -> databases()),
                Route.get("/overview", db, this::overview),
                Route.get("/nodes", db, this::nodes)));
    routes.addAll(healthRoutes("/health"));
    routes.addAll(metricsRoutes("/metrics"));
    return routes;
  }

  List<Route> healthRoutes(String path) {
    return List.of(Route.get(path, Set.of("db"), this::health));
  }

  List<Route> metricsRoutes(String path) {
    Route json = Route.get(path, Set.of("db"), this::metrics);
    return prometheus
        ? List.of(json, Route.get(path + "/prometheus", Set.of("db"), this::prometheus))
        : List.of(json);
  }

  private Answer databases() {
    return Answer.json(databases.asked().stream().map(StateCalls::database).toList());
  }

  private static JsonObject database(Watch.Asked asked) {
    Sample sample = asked.sample();
    Presence presence = sample.presence();
    return new JsonObject()
        .put("name", asked.name())
        .put("product", sample.product())
        .put("outbox", presence.outbox())
        .put("inbox", presence.inbox())
        .put("joins", presence.joins())
        .put("health", sample.health().status())
        .put("ageMs", sample.snapshot() == null ? null : sample.age().toMillis())
        .put("error", sample.trouble());
  }

  private Answer overview(Call call) {
    Watch watch = databases.of(call);
    Sample sample = watch.sample();
    MetricsSnapshot snapshot = required(sample);
    return Answer.json(
        StateJson.state(snapshot, sample.health(), MAX_GROUPS)
            .put("series", watch.history().stream().map(StateJson::point).toList())
            .put("ageMs", sample.age().toMillis())
            .put("trouble", sample.trouble())
            .put("database", sample.late() ? null : StateJson.facts(watch.facts())));
  }

  private static MetricsSnapshot required(Sample sample) {
    if (sample.snapshot() == null) {
      throw new Problem(503, "No figures", "There is nothing to show: " + sample.trouble(), null);
    }
    return sample.snapshot();
  }

  private Answer nodes(Call call) {
    Watch watch = databases.of(call);
    Instant now = required(watch.sample()).at();
    List<NodeRow> nodes = watch.presence().outbox() ? watch.database().events().nodes() : List.of();
    return Answer.json(StateJson.nodes(nodes, now));
  }

  private Answer metrics(Call call) {
    return Answer.json(
        new JsonObject()
            .put("databases", meant(call).stream().map(StateCalls::metricsOf).toList()));
  }

  private static JsonObject metricsOf(Watch.Asked asked) {
    Sample sample = asked.sample();
    MetricsSnapshot snapshot = sample.snapshot();
    JsonObject json =
        snapshot == null
            ? new JsonObject()
                .put("at", null)
                .put("health", StateJson.health(sample.health()))
                .put("snapshot", null)
            : StateJson.state(snapshot, sample.health(), MAX_GROUPS);
    return json.put("name", asked.name());
  }

  private Answer prometheus(Call call) {
    Map<String, @Nullable MetricsSnapshot> snapshots = new LinkedHashMap<>();
    meant(call).forEach(asked -> snapshots.put(asked.name(), asked.sample().snapshot()));
    return Answer.text(200, PrometheusText.CONTENT_TYPE, PrometheusText.of(snapshots));
  }

  private Answer health(Call call) {
    List<Watch.Asked> meant = meant(call);
    Health all = Health.GOOD;
    for (Watch.Asked asked : meant) {
      Health health = asked.sample().health();
      all = all.and(meant.size() == 1 ? health : health.named(asked.name()));
    }
    return Answer.json(all.status() == Health.Status.UNHEALTHY ? 503 : 200, StateJson.health(all));
  }

  /** The database that was named, or all; each is being looked at. */
  private List<Watch.Asked> meant(Call call) {
    String db = call.query().text("db");
    return db == null ? databases.asked() : List.of(databases.find(db).ask());
  }
}
