package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.beans.Introspector;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.OutboxBuilder;
import outbox.OutboxConfig;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcOutboxRepositoryBuilder;

/** The configuration page names every setting and builder option, with its true default. */
class ConfigurationPageTest {
  private static final Page PAGE = Page.of("docs/configuration.md");

  static Stream<String> settings() {
    return Stream.of(OutboxConfig.class.getMethods())
        .filter(method -> method.getName().startsWith("set"))
        .map(method -> Introspector.decapitalize(method.getName().substring(3)))
        .distinct();
  }

  @ParameterizedTest
  @MethodSource("settings")
  void listsTheSettingWithTypeAndDefault(String setting) throws Exception {
    Method getter = getter(setting);
    Object value = getter.invoke(new OutboxConfig());

    assertThat(PAGE.row("`" + setting + "`"))
        .as("the row of " + setting)
        .hasSize(5)
        .startsWith(
            "`" + setting + "`",
            "`" + getter.getReturnType().getSimpleName() + "`",
            "`" + shown(value) + "`");
  }

  static Stream<Method> options() {
    return Stream.of(
            JdbcOutbox.Builder.class,
            JdbcOutboxRepositoryBuilder.class,
            OutboxDispatcher.Builder.class,
            OutboxBuilder.class)
        .flatMap(type -> Stream.of(type.getDeclaredMethods()))
        .filter(method -> Modifier.isPublic(method.getModifiers()))
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> method.getReturnType().equals(method.getDeclaringClass()));
  }

  @ParameterizedTest
  @MethodSource("options")
  void mentionsTheBuilderOption(Method option) {
    assertThat(PAGE.text()).contains("`" + option.getName() + "(");
  }

  private static Method getter(String setting) throws NoSuchMethodException {
    String suffix = setting.substring(0, 1).toUpperCase(Locale.ROOT) + setting.substring(1);
    try {
      return OutboxConfig.class.getMethod("get" + suffix);
    } catch (NoSuchMethodException e) {
      return OutboxConfig.class.getMethod("is" + suffix);
    }
  }

  /** Numbers without separators, durations as an operator says them. */
  private static String shown(Object value) {
    if (!(value instanceof Duration duration)) {
      return String.valueOf(value);
    }
    if (duration.toMillis() % 1000 != 0) {
      return duration.toMillis() + " ms";
    }
    if (duration.toSeconds() % 60 != 0) {
      return duration.toSeconds() + " s";
    }
    return duration.toMinutes() % (24 * 60) == 0
        ? duration.toDays() + " d"
        : duration.toMinutes() + " min";
  }
}
