package outbox.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** What a native image must keep of the dashboard: its pages, and the chart library's script. */
final class OutboxAdminRuntimeHints implements RuntimeHintsRegistrar {

  OutboxAdminRuntimeHints() {}

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
    hints.resources().registerPattern("outbox/admin/**");
    hints.resources().registerPattern("META-INF/resources/webjars/chart.js/**");
    hints.resources().registerPattern("META-INF/maven/org.webjars.npm/chart.js/pom.properties");
  }
}
