package outbox.admin.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.admin.metrics.QueueFacts.Tally;
import outbox.contracts.support.Spec;
import outbox.metrics.Activity;

class PrometheusTextTest {
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

  @Test
  @Spec({"IDEM-57", "IDEM-86"})
  void writesGaugesInTheTextFormat() {
    String text =
        PrometheusText.of(
            Map.of(
                "main", snapshot(new Tally("A", null, 3, 1, 7, 2, 5, 4, NOW.minusMillis(1500)))));
    assertThat(text)
        .isEqualTo(
            """
            # HELP outbox_up 1 if the database answers.
            # TYPE outbox_up gauge
            outbox_up{database="main"} 1
            # HELP outbox_backlog Pending messages that are due.
            # TYPE outbox_backlog gauge
            outbox_backlog{database="main"} 3
            # HELP outbox_failed_pending Pending messages that failed before.
            # TYPE outbox_failed_pending gauge
            outbox_failed_pending{database="main"} 1
            # HELP outbox_old_failures Pending messages that fail often.
            # TYPE outbox_old_failures gauge
            outbox_old_failures{database="main"} 7
            # HELP outbox_leased Messages that a handler works on.
            # TYPE outbox_leased gauge
            outbox_leased{database="main"} 2
            # HELP outbox_scheduled Pending messages that are not due yet.
            # TYPE outbox_scheduled gauge
            outbox_scheduled{database="main"} 5
            # HELP outbox_dead Dead letters.
            # TYPE outbox_dead gauge
            outbox_dead{database="main"} 4
            # HELP outbox_oldest_age_seconds How long the oldest pending message waits.
            # TYPE outbox_oldest_age_seconds gauge
            outbox_oldest_age_seconds{database="main"} 1.5
            # HELP outbox_throughput_per_second Successful deliveries within the window.
            # TYPE outbox_throughput_per_second gauge
            outbox_throughput_per_second{database="main"} 7.5
            # HELP outbox_failure_ratio Share of deliveries that failed within the window.
            # TYPE outbox_failure_ratio gauge
            outbox_failure_ratio{database="main"} 0.25
            # HELP outbox_counts_bounded 1 if pending messages or dead letters were counted up to a limit only.
            # TYPE outbox_counts_bounded gauge
            outbox_counts_bounded{database="main"} 0
            # HELP outbox_topic_backlog Pending messages that are due.
            # TYPE outbox_topic_backlog gauge
            outbox_topic_backlog{database="main",topic="A"} 3
            # HELP outbox_topic_scheduled Pending messages that are not due yet.
            # TYPE outbox_topic_scheduled gauge
            outbox_topic_scheduled{database="main",topic="A"} 5
            # HELP outbox_topic_dead Dead letters.
            # TYPE outbox_topic_dead gauge
            outbox_topic_dead{database="main",topic="A"} 4
            """);
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
