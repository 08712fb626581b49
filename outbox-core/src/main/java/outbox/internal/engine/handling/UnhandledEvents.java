package outbox.internal.engine.handling;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import outbox.OutboxConfig;
import outbox.internal.engine.common.LoggerNames;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Outcome;
import outbox.internal.text.LogText;

/**
 * What becomes of events without a listener on this node: another node may know them, as in a
 * rolling deployment, so they are left to it for a while. Thread-safe.
 */
final class UnhandledEvents {
  private static final Logger LOG = System.getLogger(LoggerNames.DISPATCHER);
  private static final Duration WARNING_PERIOD = Duration.ofMinutes(1);
  private static final int MAX_TYPES = 1000;

  private final OutboxConfig config;
  private final Map<String, Long> warnings = new ConcurrentHashMap<>();

  UnhandledEvents(OutboxConfig config) {
    this.config = config;
  }

  Outcome outcomeOf(Delivery delivery) {
    String type = delivery.eventType();
    Duration age = Duration.between(delivery.createdAt(), delivery.now());
    if (age.compareTo(config.getUnhandledMaxAge()) >= 0) {
      String reason = "no listener for its event type";
      return new Outcome.Dead(reason, reason);
    }
    if (isWarningDue(type)) {
      LOG.log(
          Level.WARNING,
          "no listener here for type={0}; its events are left to other nodes for unhandledDelay={1}"
              + " and end DEAD at unhandledMaxAge={2}{3}",
          LogText.of(type),
          config.getUnhandledDelay(),
          config.getUnhandledMaxAge(),
          delivery.origin().label());
    }
    return new Outcome.Defer(config.getUnhandledDelay(), true);
  }

  private boolean isWarningDue(String type) {
    long now = System.nanoTime();
    boolean[] due = {false};
    if (warnings.size() > MAX_TYPES) {
      warnings.clear();
    }
    warnings.compute(
        type,
        (key, last) -> {
          due[0] = last == null || now - last >= WARNING_PERIOD.toNanos();
          return due[0] ? now : last;
        });
    return due[0];
  }
}
