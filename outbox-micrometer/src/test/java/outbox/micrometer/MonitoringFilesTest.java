package outbox.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;
import outbox.EventEnvelope;
import outbox.OutboxBuilder;
import outbox.admin.data.OperatedDatabase;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.schema.OutboxSchema;
import outbox.spi.DeliveryRecord;
import outbox.spi.DeliveryRecord.Outcome;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The dashboard of Grafana and the rules of Prometheus use only meters that exist. */
class MonitoringFilesTest {
  private static final Path FOLDER = Path.of("..", "monitoring");
  private static final Pattern METER = Pattern.compile("\\boutbox_[a-z_]+");
  private static final Pattern LABEL = Pattern.compile("\\b([a-z_]+)=~?\"");
  private static final Pattern GROUPING = Pattern.compile("\\bby \\(([^)]*)\\)");

  private static final Set<String> METERS = new TreeSet<>();
  private static final Set<String> LABELS = new TreeSet<>();

  @BeforeAll
  static void scrape() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    registry.config().commonTags("application", "shop").meterFilter(histograms());
    MicrometerMetricsExporter.builder(registry)
        .tag("queue", "outbox")
        .build()
        .recordDelivery(
            new DeliveryRecord("paid", Outcome.DONE, 1, Duration.ZERO, Duration.ofMillis(3)));
    JdbcDataSource database = new JdbcDataSource();
    database.setURL("jdbc:h2:mem:monitoring;DB_CLOSE_DELAY=-1");
    OutboxSchema.of(database).deploy();
    OutboxBuilder.of(new DataSourceConnectionProvider(database), new JdbcOutboxRepository())
        .build()
        .enqueue(EventEnvelope.ofJson("paid", "{}"));
    QueueGauges gauges =
        QueueGauges.builder(registry)
            .database(OperatedDatabase.builder("main", database).build())
            .start();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> registry.scrape().contains("outbox_topic_dead"));
    registry
        .scrape()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .forEach(
            line -> {
              METERS.add(line.replaceAll("[{ ].*", ""));
              LABEL.matcher(line).results().forEach(found -> LABELS.add(found.group(1)));
            });
    gauges.close();
  }

  private static MeterFilter histograms() {
    return new MeterFilter() {
      @Override
      public DistributionStatisticConfig configure(
          Meter.Id id, DistributionStatisticConfig config) {
        return DistributionStatisticConfig.builder()
            .percentilesHistogram(true)
            .build()
            .merge(config);
      }
    };
  }

  @Test
  void theDashboardUsesMetersThatExist() throws IOException {
    JsonNode dashboard =
        new ObjectMapper().readTree(Files.readString(FOLDER.resolve("grafana-dashboard.json")));
    List<String> expressions = new ArrayList<>();
    dashboard
        .path("panels")
        .forEach(
            panel ->
                panel
                    .path("targets")
                    .forEach(target -> expressions.add(target.path("expr").asString())));
    dashboard
        .path("templating")
        .path("list")
        .forEach(variable -> expressions.add(variable.path("query").asString()));

    assertThat(expressions).hasSizeGreaterThan(15);
    assertThat(metersIn(expressions)).isSubsetOf(METERS);
    assertThat(labelsIn(expressions)).isSubsetOf(LABELS);
    assertThat(dashboard.path("panels"))
        .as("each panel has a place of its own")
        .extracting(
            panel -> panel.path("gridPos").path("x") + "," + panel.path("gridPos").path("y"))
        .doesNotHaveDuplicates();
  }

  @Test
  void theAlertsUseMetersThatExistAndSayWhatToDo() throws IOException {
    List<Rule> rules = rules(Files.readString(FOLDER.resolve("alerts.yml")));
    List<String> expressions = rules.stream().map(Rule::expression).toList();

    assertThat(expressions).hasSizeGreaterThan(5);
    assertThat(metersIn(expressions)).isSubsetOf(METERS);
    assertThat(labelsIn(expressions)).isSubsetOf(LABELS);
    assertThat(rules)
        .allSatisfy(rule -> assertThat(rule.keys()).contains("alert", "labels"))
        .allSatisfy(rule -> assertThat(rule.said()).containsExactly("summary", "action"));
  }

  /** What a rule has, what it asks for, and what its annotations are. */
  private record Rule(Set<String> keys, String expression, Set<String> said) {}

  private static List<Rule> rules(String yaml) {
    JsonNode file = new ObjectMapper().valueToTree(new Yaml().load(yaml));
    List<Rule> rules = new ArrayList<>();
    file.path("groups")
        .path(0)
        .path("rules")
        .forEach(
            rule ->
                rules.add(
                    new Rule(
                        new LinkedHashSet<>(rule.propertyNames()),
                        rule.path("expr").asString(),
                        new LinkedHashSet<>(rule.path("annotations").propertyNames()))));
    return rules;
  }

  private static Set<String> metersIn(List<String> expressions) {
    Set<String> found = new TreeSet<>();
    expressions.forEach(it -> METER.matcher(it).results().forEach(hit -> found.add(hit.group())));
    return found;
  }

  private static Set<String> labelsIn(List<String> expressions) {
    Set<String> found = new TreeSet<>();
    for (String expression : expressions) {
      LABEL.matcher(expression).results().forEach(hit -> found.add(hit.group(1)));
      GROUPING
          .matcher(expression)
          .results()
          .forEach(hit -> found.addAll(List.of(hit.group(1).split(", *"))));
    }
    return found;
  }
}
