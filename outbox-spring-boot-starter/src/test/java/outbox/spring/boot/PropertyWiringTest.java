package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.util.unit.DataSize;
import outbox.spring.boot.PropertyMetadata.Property;
import outbox.spring.boot.PropertyTable.Row;
import outbox.spring.boot.PropertyTable.Start;

/** Each property has an effect in a running application, and the default that the pages say. */
@Tag("slow")
class PropertyWiringTest {
  private static final Map<Start, WiredApplication> STARTED = new EnumMap<>(Start.class);

  static List<Row> rows() {
    return PropertyTable.ROWS;
  }

  @AfterAll
  static void stop() {
    STARTED.values().forEach(WiredApplication::close);
    STARTED.clear();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void hasItsDefaultUntilItIsSetAndThenItsEffect(Row row) {
    assertThat(row.look().at(started(row.without()))).as("by default").isEqualTo(row.usual());
    assertThat(row.look().at(started(row.start()))).as("with " + row).isEqualTo(row.other());
  }

  private static WiredApplication started(Start start) {
    return STARTED.computeIfAbsent(start, it -> WiredApplication.start(it.type, it.settings()));
  }

  @Test
  void everyPropertyHasARowAndEveryRowIsOfAProperty() {
    assertThat(PropertyTable.ROWS)
        .extracting(Row::property)
        .hasSameElementsAs(PropertyMetadata.all().stream().map(Property::name).toList());
  }

  @ParameterizedTest
  @MethodSource("rows")
  void thePagesSayTheDefault(Row row) {
    Property property =
        PropertyMetadata.all().stream()
            .filter(it -> it.name().equals(row.property()))
            .findFirst()
            .orElseThrow();
    String value = property.defaultValue();
    String documented = PropertyPages.defaultOf(row.property());
    if (value == null || documented.isEmpty()) {
      assertThat(documented).isEqualTo(row.documented());
    } else {
      assertThat(documented).isEqualTo("`" + inThePages(property, value) + "`");
    }
  }

  /** The page about the engine has bytes, and a space between number and unit. */
  private static String inThePages(Property property, String value) {
    boolean ofEngine = !PropertyPages.isOnSpringsPage(property.name());
    if (ofEngine && property.type().equals(DataSize.class.getName())) {
      return Long.toString(DataSize.parse(value).toBytes());
    }
    return ofEngine ? value.replaceFirst("(\\d)([a-z])", "$1 $2") : value;
  }
}
