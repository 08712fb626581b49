package outbox.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.EventEnvelope;
import outbox.PayloadCodec;
import outbox.UnreadablePayloadException;

/** What a codec on Jackson does, whatever Jackson that is. */
abstract class JacksonContract {
  private final PayloadCodec codec = codec();

  record Order(
      long id,
      @Nullable Instant at,
      @Nullable LocalDate day,
      @Nullable Duration within,
      List<Line> lines) {}

  record Line(String item, int count, @Nullable Color color) {
    Line {
      if (count < 0) {
        throw new IllegalArgumentException("secret " + count);
      }
    }
  }

  enum Color {
    RED
  }

  private static final Order ORDER =
      new Order(
          42,
          Instant.parse("2026-01-02T03:04:05Z"),
          LocalDate.of(2026, 1, 2),
          Duration.ofMinutes(5),
          List.of(new Line("bück", 2, Color.RED)));

  abstract PayloadCodec codec();

  /** One that refuses properties that a class does not have. */
  abstract PayloadCodec strict();

  @Test
  void recordsAndTimesComeBack() {
    EventEnvelope event = EventEnvelope.builder("placed").payload(ORDER, codec).build();

    assertThat(event.payloadJson())
        .contains("\"2026-01-02T03:04:05Z\"", "\"2026-01-02\"", "\"PT5M\"", "\"bück\"");
    assertThat(event.headers()).isEmpty();
    assertThat(codec.read(event, Order.class)).isEqualTo(ORDER);
  }

  @Test
  void genericTypesAreRead() throws Exception {
    Type lines = Order.class.getRecordComponents()[4].getGenericType();

    assertThat(codec.read("[{\"item\":\"book\",\"count\":1}]", lines))
        .isEqualTo(List.of(new Line("book", 1, null)));
  }

  @Test
  void bytesOfJsonAreReadToo() {
    EventEnvelope event = EventEnvelope.builder("placed").payloadBytes(codec.encode(ORDER)).build();

    assertThat(codec.read(event, Order.class)).isEqualTo(ORDER);
  }

  @Test
  void propertiesThatAClassDoesNotHaveAreIgnored() {
    assertThat(codec.read("{\"item\":\"book\",\"count\":1,\"more\":true}", Line.class))
        .isEqualTo(new Line("book", 1, null));
  }

  @Test
  void propertiesThatAStrictMapperRefusesAreNamed() {
    assertThat(
            reason(
                strict(), "{\"lines\":[{\"item\":\"secret\",\"count\":1,\"colour\":\"secret\"}]}"))
        .contains("Unrecognized field \"colour\"", Line.class.getName())
        .contains("(through reference chain: ", "Order[\"lines\"]", "[0]", "[\"colour\"])")
        .doesNotContain("secret");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"lines\":[{\"count\":\"secret\"}]} | [\"count\"]",
        "{\"lines\":[{\"count\":\"a\\\"secret\"}]} | [\"count\"]",
        "{\"lines\":[{\"count\":\"it's secret\"}]} | [\"count\"]",
        "{\"lines\":[{\"color\":\"secret\"}]} | [\"color\"]",
        "{\"lines\":\"secret\"} | [\"lines\"]",
        "{\"at\":\"secret\"} | [\"at\"]",
        "{\"day\":\"2026-secret\"} | [\"day\"]",
        "{\"within\":\"secret\"} | [\"within\"]",
        "{\"lines\":[{\"count\":-7}]} | IllegalArgumentException",
        "{\"lines\":[{\"count\":77777777777}]} | [\"count\"]",
        "{\"id\":secret} | line 1",
        "{\"id\":\"secret | line 1",
        "\"secret\" | Order",
        "secret | line 1"
      })
  void theReasonSaysWhereAndWhyWithoutAValue(String payload, String expected) {
    assertThat(reason(codec, payload))
        .startsWith("the payload cannot be read as " + Order.class.getName() + ": ")
        .contains(expected)
        .doesNotContain("secret", "-7", "77777777777");
  }

  @Test
  void nullIsNotRead() {
    assertThat(reason(codec, "null")).endsWith(": it is null");
  }

  @Test
  void whatCannotBeWrittenIsRefused() {
    Object cycle = new Cycle();

    assertThatThrownBy(() -> codec.encode(cycle))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Cycle cannot be written as JSON");
  }

  static final class Cycle {
    public Cycle getSelf() {
      return this;
    }
  }

  @Test
  void typesThatNoPayloadIsOfAreToldFromOthers() {
    assertThat(codec.canRead(Order.class)).isTrue();
    assertThat(codec.canRead(Map.class)).isTrue();
    assertThat(codec.canRead(AutoCloseable.class)).isFalse();
  }

  private static String reason(PayloadCodec codec, String payload) {
    return Optional.ofNullable(
            catchThrowableOfType(
                    UnreadablePayloadException.class, () -> codec.read(payload, Order.class))
                .getMessage())
        .orElseThrow();
  }
}
