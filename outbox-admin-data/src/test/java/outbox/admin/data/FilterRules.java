package outbox.admin.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.contracts.support.Spec;
import outbox.model.MessageId;

/** Each condition of a query holds in each view. */
abstract class FilterRules {
  private static final Duration TICK = Duration.of(1, ChronoUnit.MICROS);

  abstract Workshop shop();

  @ParameterizedTest
  @EnumSource
  @Spec("IDEM-53")
  void everyViewIsFilteredByEachCondition(EventView view) {
    String wanted = event(view, "A", "t1", "c1", "refused by 10.0.0.7");
    event(view, "B", "t1", "c1", "refused by 10.0.0.7");
    event(view, "A", "t2", "c1", "refused by 10.0.0.7");
    event(view, "A", "t1", "c2", "refused by 10.0.0.7");
    event(view, "A", "t1", "c1", "broken");
    EventQuery query = EventQuery.of(view);
    assertThat(ids(query)).hasSize(5);
    assertThat(rows(query.topic("A").tenant("t1").correlation("c1").error("refused by")))
        .singleElement()
        .satisfies(row -> assertThat(row.id()).isEqualTo(wanted))
        .extracting(EventRow::errorSnippet)
        .isEqualTo(row(wanted).errorSnippet())
        .isIn("refused by 10.0.0.7", "discarded by ann: refused by 10.0.0.7");
    assertThat(ids(query.topic("A"))).hasSize(4);
    assertThat(ids(query.tenant("t1"))).hasSize(4);
    assertThat(ids(query.correlation("c1"))).hasSize(4);
    assertThat(ids(query.error("refused by"))).hasSize(4);
  }

  @ParameterizedTest
  @EnumSource
  void aTimeIsFromTheInstantItSaysAndToTheOneBefore(EventView view) {
    String id = event(view, "A", "t1", "c1", "broken");
    EventRow row = row(id);
    Instant time =
        switch (view) {
          case DEAD -> row.availableAt();
          case PROCESSED -> Objects.requireNonNull(row.processedAt());
          default -> row.createdAt();
        };
    EventQuery query = EventQuery.of(view);
    assertThat(ids(query.from(time))).containsExactly(id);
    assertThat(ids(query.from(time.plus(TICK)))).isEmpty();
    assertThat(ids(query.to(time))).isEmpty();
    assertThat(ids(query.to(time.plus(TICK)))).containsExactly(id);
  }

  /** An event that the view shows, with this error. */
  private String event(
      EventView view, String topic, String tenant, String correlation, String error) {
    EventEnvelope envelope =
        EventEnvelope.builder(topic)
            .tenantId(tenant)
            .correlationId(correlation)
            .payloadJson("{}")
            .build();
    return switch (view) {
      case DEAD, ALL -> shop().dead(envelope, error);
      case PENDING, FAILED, SCHEDULED ->
          shop().retried(shop().store(envelope), error, Duration.ofMinutes(1));
      case LEASED -> shop().taken(shop().retried(shop().store(envelope), error, Duration.ZERO));
      case PROCESSED -> {
        String id = shop().dead(envelope, "dead");
        shop().outbox().deadLetters().discard(List.of(new MessageId(id)), "ann", error);
        yield id;
      }
    };
  }

  private EventRow row(String id) {
    return shop().operated().events().find(id, false).orElseThrow().row();
  }

  private List<String> ids(EventQuery query) {
    return rows(query).stream().map(EventRow::id).toList();
  }

  private List<EventRow> rows(EventQuery query) {
    return shop().operated().events().list(query).items();
  }
}
