package outbox.spring.demo;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** Somebody else's system: fails twice for a flaky item, and until repaired for a broken one. */
@Component
class PaymentProvider {
  private static final int FLAKY_FAILURES = 2;

  private final Map<String, Integer> failures = new ConcurrentHashMap<>();
  private volatile boolean repaired;

  void charge(OrderPlaced order) {
    boolean fails =
        switch (order.item()) {
          case "flaky" -> failures.merge(order.orderId(), 1, Integer::sum) <= FLAKY_FAILURES;
          case "broken" -> !repaired;
          default -> false;
        };
    if (fails) {
      throw new IllegalStateException("the payment provider does not answer");
    }
  }

  void repair() {
    repaired = true;
  }
}
