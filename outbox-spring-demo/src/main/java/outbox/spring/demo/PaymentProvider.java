package outbox.spring.demo;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** An external system: fails twice for a flaky item, and until repaired for a broken one. */
@Component
class PaymentProvider {
  private static final int FLAKY_FAILURES = 2;

  private final Map<String, Integer> failures = new ConcurrentHashMap<>();
  private final Set<String> repaired = ConcurrentHashMap.newKeySet();

  void charge(OrderPlaced order) {
    if (fails(order)) {
      failures.merge(order.orderId(), 1, Integer::sum);
      throw new IllegalStateException("the payment provider does not answer");
    }
  }

  private boolean fails(OrderPlaced order) {
    return switch (order.item()) {
      case "flaky" -> failures.getOrDefault(order.orderId(), 0) < FLAKY_FAILURES;
      case "broken" -> !repaired.contains(order.orderId());
      default -> false;
    };
  }

  /** Only for the orders that have failed so far, so that the next broken one shows it again. */
  void repair() {
    repaired.addAll(failures.keySet());
  }
}
