package outbox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.contracts.support.LogCapture;
import outbox.internal.guard.QuietMetrics;
import outbox.spi.DeliveryRecord;
import outbox.spi.DeliveryRecord.Outcome;
import outbox.spi.MetricsExporter;

/** Every report goes through, and no exporter that throws harms its caller. */
class QuietMetricsTest {
  private static final DeliveryRecord DELIVERY =
      new DeliveryRecord("topic", Outcome.DONE, 1, Duration.ZERO, Duration.ofSeconds(1));

  private static Stream<Method> reports() {
    return Arrays.stream(MetricsExporter.class.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()));
  }

  @ParameterizedTest
  @MethodSource("reports")
  void everyReportGoesThroughWithItsFigures(Method report) throws Exception {
    List<Object> told = new CopyOnWriteArrayList<>();
    MetricsExporter exporter =
        exporter(
            (method, arguments) -> {
              told.add(method.getName());
              told.addAll(Arrays.asList(arguments));
            });
    Object[] arguments = figuresOf(report);

    report.invoke(QuietMetrics.of(exporter), arguments);

    assertThat(told).startsWith(report.getName()).endsWith(arguments).hasSize(1 + arguments.length);
  }

  @ParameterizedTest
  @MethodSource("reports")
  void anExporterThatThrowsIsToldOfOnceAndHarmsNobody(Method report) throws Exception {
    MetricsExporter quiet =
        QuietMetrics.of(
            exporter(
                (method, arguments) -> {
                  throw new StackOverflowError("on purpose");
                }));

    try (LogCapture log = LogCapture.of(MetricsExporter.class.getName())) {
      report.invoke(quiet, figuresOf(report));
      report.invoke(quiet, figuresOf(report));

      assertThat(log.entries())
          .containsExactly("SEVERE metrics exporter failed, continuing without it");
    }
  }

  private static Object[] figuresOf(Method report) {
    return Arrays.stream(report.getParameterTypes())
        .map(
            type -> {
              if (type == int.class) {
                return 7;
              } else if (type == long.class) {
                return 8L;
              } else if (type == boolean.class) {
                return true;
              } else if (type == Duration.class) {
                return Duration.ofMillis(9);
              } else if (type == String.class) {
                return "store";
              }
              return DELIVERY;
            })
        .toArray();
  }

  private static MetricsExporter exporter(Report report) {
    return (MetricsExporter)
        Proxy.newProxyInstance(
            QuietMetricsTest.class.getClassLoader(),
            new Class<?>[] {MetricsExporter.class},
            (proxy, method, arguments) -> {
              report.told(method, arguments == null ? new Object[0] : arguments);
              return null;
            });
  }

  @FunctionalInterface
  private interface Report {
    void told(Method method, Object[] arguments);
  }
}
