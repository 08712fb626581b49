package outbox.spring.boot;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import outbox.spi.MetricsExporter;

/** What a native image must keep: the statements, and the interfaces that are proxied. */
final class OutboxRuntimeHints implements RuntimeHintsRegistrar {

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
    hints.resources().registerPattern("outbox/jdbc/**");
    hints.proxies().registerJdkProxy(Connection.class);
    hints.proxies().registerJdkProxy(MetricsExporter.class);
  }
}
