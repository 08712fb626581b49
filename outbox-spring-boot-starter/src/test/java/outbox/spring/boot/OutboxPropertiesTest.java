package outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import outbox.OutboxConfig;
import outbox.contracts.support.Spec;
import outbox.spring.boot.PropertyMetadata.Property;

class OutboxPropertiesTest {

  /** Not of OutboxConfig. */
  private static final Set<String> OF_RETRIES =
      Set.of(
          "outbox.retry.max-age",
          "outbox.retry.jitter",
          "outbox.retry.never",
          "outbox.retry.always");

  static List<Method> settings() {
    return Stream.of(OutboxConfig.class.getMethods())
        .filter(method -> method.getName().matches("(get|is)[A-Z].*"))
        .filter(method -> method.getParameterCount() == 0)
        .filter(method -> method.getDeclaringClass() == OutboxConfig.class)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("settings")
  void defaultIsThatOfTheEngine(Method setting) throws Exception {
    assertThat(setting.invoke(bound(Map.of()).config(false)))
        .isEqualTo(setting.invoke(new OutboxConfig()));
  }

  @Test
  void settingsReachTheEngine() {
    OutboxConfig config =
        bound(
                Map.of(
                    "outbox.dispatcher.workers", "7",
                    "outbox.dispatcher.hot-queue-size", "2MB",
                    "outbox.retry.max-attempts", "2"))
            .config(true);

    assertThat(config.getDispatcherWorkers()).isEqualTo(7);
    assertThat(config.getHotQueueBytes()).isEqualTo(2L << 20);
    assertThat(config.getRetryMaxAttempts()).isEqualTo(2);
    assertThat(config.isVirtualThreads()).isTrue();
  }

  @Test
  @Spec({"IBXU-09", "IDEM-36"})
  void theBatchSizeIsLeftToTheInboxUnlessItIsSet() {
    OutboxConfig unset = bound(Map.of()).config(false);
    OutboxConfig set =
        bound(
                Map.of(
                    "outbox.poller.batch-size", "200",
                    "outbox.retry.use-exponential-backoff", "false"))
            .config(false);

    assertThat(unset.getPollerBatchSize()).isEqualTo(200);
    assertThat(unset.defaultPollerBatchSize(50).getPollerBatchSize()).isEqualTo(50);
    assertThat(unset.isUseExponentialBackoff()).isTrue();
    assertThat(set.defaultPollerBatchSize(50).getPollerBatchSize()).isEqualTo(200);
    assertThat(set.isUseExponentialBackoff()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("engineProperties")
  void eachPropertyChangesItsSettingAndNoOther(String name, String value) throws Exception {
    OutboxConfig changed = bound(Map.of(name, value)).config(false);

    assertThat(changedSettings(changed)).hasSize(1);
  }

  @Test
  void eachSettingHasAProperty() throws Exception {
    Map<String, String> values = new HashMap<>();
    for (Arguments property : engineProperties()) {
      values.put((String) property.get()[0], (String) property.get()[1]);
    }

    assertThat(changedSettings(bound(values).config(true))).hasSameElementsAs(settings());
  }

  static List<Arguments> engineProperties() throws Exception {
    return PropertyMetadata.all().stream()
        .filter(
            property ->
                property.name().matches("outbox\\.(dispatcher|poller|retry)\\.[a-z-]+")
                    && !OF_RETRIES.contains(property.name()))
        .filter(property -> !property.type().startsWith("java.util.Map"))
        .map(property -> Arguments.of(property.name(), otherValue(property)))
        .toList();
  }

  /** One that is not the default. */
  private static String otherValue(Property property) {
    return switch (property.type()) {
      case "java.lang.Boolean" -> "false";
      case "java.lang.Integer" -> "77";
      case "java.time.Duration" -> "77s";
      case "org.springframework.util.unit.DataSize" -> "77MB";
      default -> throw new AssertionError("a value for " + property);
    };
  }

  private static List<Method> changedSettings(OutboxConfig config) throws Exception {
    List<Method> changed = new ArrayList<>();
    for (Method setting : settings()) {
      if (!Objects.equals(setting.invoke(config), setting.invoke(new OutboxConfig()))) {
        changed.add(setting);
      }
    }
    return changed;
  }

  @Test
  void editorsCanCompleteEachPropertyWithADescription() throws Exception {
    assertThat(PropertyMetadata.all()).hasSizeGreaterThan(30);
    assertThat(PropertyMetadata.all())
        .allSatisfy(
            property -> assertThat(property.description()).as(property.name()).isNotEmpty());
  }

  private static OutboxProperties bound(Map<String, String> values) {
    return new Binder(new MapConfigurationPropertySource(values))
        .bindOrCreate("outbox", OutboxProperties.class);
  }
}
