package outbox.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.metrics.QueueFacts.Tally;
import outbox.testing.Spec;

class PrometheusTextTest {
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

  @Test
  @Spec({"IDEM-57", "IDEM-86"})
  void writesGaugesInTheTextFormat() {
    String text =
        PrometheusText.of(
            Map.of(
                "main", snapshot(new Tally("A", null, 3, 1, 0, 2, 5, 4, NOW.minusMillis(1500)))));
    assertThat(text)
        .contains(
            """
            # HELP outbox_backlog Pending messages that are due.
            # TYPE outbox_backlog gauge
            outbox_backlog{database="main"} 3
            """)
        .contains("outbox_scheduled{database=\"main\"} 5\n")
        .contains("outbox_topic_scheduled{database=\"main\",topic=\"A\"} 5\n")
        .contains("outbox_dead{database=\"main\"} 4\n")
        .contains("outbox_oldest_age_seconds{database=\"main\"} 1.5\n")
        .contains("outbox_failure_ratio{database=\"main\"} 0.25\n")
        .contains("outbox_topic_dead{database=\"main\",topic=\"A\"} 4\n")
        .endsWith("\n");
    assertThat(text.lines())
        .allMatch(
            line ->
                line.startsWith("# ") || line.matches("outbox_[a-z_]+\\{[a-z]+=\".*\"} [0-9.E-]+"));
  }

  @Test
  void aDatabaseThatDoesNotAnswerIsSeen() {
    Map<String, @Nullable MetricsSnapshot> databases = new LinkedHashMap<>();
    databases.put("main", snapshot());
    databases.put("away", null);
    assertThat(PrometheusText.of(databases))
        .contains("outbox_up{database=\"main\"} 1\noutbox_up{database=\"away\"} 0\n")
        .doesNotContain("outbox_backlog{database=\"away\"}");
  }

  @Test
  void saysThatDeadLettersWereNotCountedToTheirEnd() {
    MetricsSnapshot bounded =
        MetricsSnapshot.of(
            new QueueFacts(NOW, List.of(), null, new Count(5_000, true)), Activity.NONE);
    assertThat(PrometheusText.of(Map.of("main", bounded)))
        .contains("outbox_counts_bounded{database=\"main\"} 1\n");
  }

  @Test
  void escapesWhatALabelCannotHold() {
    String text =
        PrometheusText.of(
            Map.of("a\"b\\c\nd", snapshot(new Tally("A", null, 1, 0, 0, 0, 0, 0, NOW))));
    assertThat(text).contains("outbox_backlog{database=\"a\\\"b\\\\c\\nd\"} 1\n");
  }

  @Test
  @Spec("IDEM-59")
  void sumsUpTheTopicsBeyondTheLimit() {
    Tally[] many =
        IntStream.range(0, 1000)
            .mapToObj(n -> new Tally("topic-" + n, null, 2, 0, 0, 0, 0, 0, NOW))
            .toArray(Tally[]::new);
    String text = PrometheusText.of(Map.of("main", snapshot(many)));
    assertThat(text.lines().filter(line -> line.startsWith("outbox_topic_backlog{")))
        .hasSize(PrometheusText.MAX_TOPICS + 1)
        .contains("outbox_topic_backlog{database=\"main\",topic=\"(other)\"} 1900");
  }

  private static MetricsSnapshot snapshot(Tally... tallies) {
    return MetricsSnapshot.of(
        QueueFacts.complete(NOW, List.of(tallies)), new Activity(Duration.ofSeconds(10), 75, 25));
  }
}
