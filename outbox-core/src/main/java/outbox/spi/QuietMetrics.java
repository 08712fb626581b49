package outbox.spi;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;

/** Keeps an exporter that throws from harming whoever reports to it; says so once. */
final class QuietMetrics {
  private static final Logger LOG = System.getLogger(MetricsExporter.class.getName());

  private QuietMetrics() {}

  static MetricsExporter of(MetricsExporter metrics) {
    if (metrics == MetricsExporter.NOOP) {
      return metrics;
    }
    AtomicBoolean logged = new AtomicBoolean();
    return (MetricsExporter)
        Proxy.newProxyInstance(
            QuietMetrics.class.getClassLoader(),
            new Class<?>[] {MetricsExporter.class},
            (proxy, method, arguments) -> {
              try {
                return method.invoke(metrics, arguments);
              } catch (InvocationTargetException e) {
                if (!logged.getAndSet(true)) {
                  LOG.log(Level.ERROR, "metrics exporter failed, going on without", e.getCause());
                }
                return null;
              }
            });
  }
}
