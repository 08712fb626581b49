package outbox.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.spi.DeliveryRecord;
import outbox.spi.DeliveryRecord.Outcome;

/** Each option has an effect that can be seen in the registry. */
class ExporterOptionsTest {

  /** An option, how it is set, and what the registry shows without and with it. */
  record Row(
      String option,
      UnaryOperator<MicrometerMetricsExporter.Builder> setting,
      Function<MeterRegistry, Object> look,
      Object usual,
      Object other) {
    @Override
    public String toString() {
      return option;
    }
  }

  static List<Row> rows() {
    return List.of(
        new Row("tag", it -> it.tag("queue", "eu"), ExporterOptionsTest::withTag, "none", "all"),
        new Row("maxTopics", it -> it.maxTopics(7), ExporterOptionsTest::topics, 100L, 7L));
  }

  private static Object withTag(MeterRegistry registry) {
    List<Meter> meters = registry.getMeters();
    long tagged = meters.stream().filter(it -> "eu".equals(it.getId().getTag("queue"))).count();
    return tagged == 0 ? "none" : tagged == meters.size() ? "all" : "some";
  }

  /** How many of many topics have a tag of their own. */
  private static Object topics(MeterRegistry registry) {
    return registry.getMeters().stream()
        .map(meter -> meter.getId().getTag("topic"))
        .filter(topic -> topic != null && topic.startsWith("topic-"))
        .distinct()
        .count();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void hasItsDefaultUntilItIsSetAndThenItsEffect(Row row) {
    assertThat(row.look.apply(after(it -> it))).as("without " + row).isEqualTo(row.usual);
    assertThat(row.look.apply(after(row.setting))).as("with " + row).isEqualTo(row.other);
  }

  private static MeterRegistry after(UnaryOperator<MicrometerMetricsExporter.Builder> setting) {
    MeterRegistry registry = new SimpleMeterRegistry();
    MicrometerMetricsExporter exporter =
        setting.apply(MicrometerMetricsExporter.builder(registry)).build();
    IntStream.range(0, 120)
        .mapToObj(
            i -> new DeliveryRecord("topic-" + i, Outcome.DONE, 1, Duration.ZERO, Duration.ZERO))
        .forEach(exporter::recordDelivery);
    return registry;
  }

  @Test
  void everyOptionHasARow() {
    assertThat(
            Stream.of(MicrometerMetricsExporter.Builder.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .map(Method::getName)
                .filter(name -> !name.equals("build")))
        .containsExactlyInAnyOrderElementsOf(rows().stream().map(Row::option).toList());
  }
}
