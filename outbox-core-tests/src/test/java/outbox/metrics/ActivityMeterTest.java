package outbox.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.spi.DeliveryRecord;
import outbox.spi.MetricsExporter;

class ActivityMeterTest {

  @Test
  @Spec({"IDEM-58", "IDEM-86"})
  void countsDeliveriesThatSucceededAndThoseThatDidNot() {
    ActivityMeter meter = new ActivityMeter(Duration.ofMinutes(1));
    meter.incrementDispatchSuccess();
    meter.incrementDispatchSuccess();
    meter.incrementDispatchFailure();
    meter.incrementDispatchDead();
    Activity activity = meter.get();
    assertThat(activity.processed()).isEqualTo(2);
    assertThat(activity.failed()).isEqualTo(1);
    assertThat(activity.window()).isPositive();
  }

  @Test
  @Spec({"IDEM-47", "IDEM-58"})
  void forgetsWhatIsOlderThanItsWindow() {
    Duration window = Duration.ofMillis(100);
    ActivityMeter meter = new ActivityMeter(window);
    meter.incrementDispatchSuccess();
    meter.incrementDispatchFailure();

    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> meter.get().processed() + meter.get().failed() == 0);
  }

  @Test
  void passesEverythingOn() throws ReflectiveOperationException {
    List<String> told = new ArrayList<>();
    MetricsExporter next =
        (MetricsExporter)
            Proxy.newProxyInstance(
                MetricsExporter.class.getClassLoader(),
                new Class<?>[] {MetricsExporter.class},
                (proxy, method, arguments) -> {
                  told.add(method.getName());
                  return null;
                });
    ActivityMeter meter = new ActivityMeter(Duration.ofMinutes(1), next);
    List<Method> all =
        Arrays.stream(MetricsExporter.class.getMethods())
            .filter(method -> !Modifier.isStatic(method.getModifiers()))
            .toList();
    for (Method method : all) {
      method.invoke(
          meter, Arrays.stream(method.getParameterTypes()).map(ActivityMeterTest::some).toArray());
    }
    assertThat(told).containsExactlyElementsOf(all.stream().map(Method::getName).toList());
  }

  private static Object some(Class<?> type) {
    if (type == int.class) {
      return 1;
    }
    if (type == long.class) {
      return 1L;
    }
    if (type == boolean.class) {
      return true;
    }
    if (type == Duration.class) {
      return Duration.ofMillis(7);
    }
    return type == String.class ? "store" : delivery();
  }

  private static DeliveryRecord delivery() {
    return new DeliveryRecord(
        "topic", DeliveryRecord.Outcome.DONE, 1, Duration.ZERO, Duration.ZERO);
  }
}
