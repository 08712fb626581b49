package outbox.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.jspecify.annotations.Nullable;
import outbox.InvalidSettingException;

/**
 * The settings of a producer that loses nothing: what the application left out is added, what
 * contradicts is refused.
 */
final class ProducerSettings {
  private ProducerSettings() {}

  /**
   * @param lease how long an event belongs to this process without renewal
   */
  static Map<String, Object> of(Map<String, ?> given, Duration lease) {
    Map<String, Object> settings = new HashMap<>(given);
    require(settings, ProducerConfig.ACKS_CONFIG, "all", "-1");
    require(settings, ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
    if (settings.containsKey(ProducerConfig.TRANSACTIONAL_ID_CONFIG)) {
      throw invalid(
          ProducerConfig.TRANSACTIONAL_ID_CONFIG,
          settings.get(ProducerConfig.TRANSACTIONAL_ID_CONFIG),
          "must not be set: a forwarder sends outside of Kafka's transactions");
    }
    settings.remove(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG);
    settings.remove(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG);
    settings.putIfAbsent(ProducerConfig.CLIENT_ID_CONFIG, "outbox-forwarder");
    long timeout = deliveryTimeout(settings, lease).toMillis();
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int) timeout);
    // Two tries fit at least, and neither outlasts the delivery.
    settings.putIfAbsent(
        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) Math.min(30_000, timeout / 2));
    settings.putIfAbsent(ProducerConfig.MAX_BLOCK_MS_CONFIG, Math.min(60_000, timeout / 2));
    return settings;
  }

  /** The one that is set, which must end within the lease, or two thirds of the lease. */
  static Duration deliveryTimeout(Map<String, ?> settings, Duration lease) {
    Object given = settings.get(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG);
    if (given == null) {
      return Duration.ofMillis(Math.min(Integer.MAX_VALUE, lease.toMillis() * 2 / 3));
    }
    Duration timeout = Duration.ofMillis(Long.parseLong(given.toString()));
    if (timeout.compareTo(lease) >= 0) {
      throw new InvalidSettingException(
          ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG
              + " ("
              + timeout.toMillis()
              + ") must be shorter than leaseDuration ("
              + lease
              + "), or another process may send an event that waits in this producer; lower "
              + ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG
              + ", or raise leaseDuration of the outbox and of the forwarder",
          ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
          "leaseDuration");
    }
    return timeout;
  }

  private static void require(Map<String, Object> settings, String name, String... allowed) {
    Object given = settings.putIfAbsent(name, allowed[0]);
    for (String value : allowed) {
      if (given == null || given.toString().equals(value)) {
        return;
      }
    }
    throw invalid(name, given, "must be " + allowed[0] + ", or an outage loses or repeats events");
  }

  private static InvalidSettingException invalid(String name, @Nullable Object value, String rule) {
    return new InvalidSettingException(name + " (" + value + ") " + rule, name);
  }
}
