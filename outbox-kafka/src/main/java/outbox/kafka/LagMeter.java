package outbox.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Asks Kafka once a second how many records wait. One thread measures, any thread reads. What the
 * consumer itself knows is only up to date while it fetches.
 */
final class LagMeter {
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration LIMIT = Duration.ofSeconds(1);

  private volatile Map<TopicPartition, Long> lags = Map.of();
  private long measuredAt = System.nanoTime() - INTERVAL.toNanos();

  void measure(Consumer<byte[], byte[]> consumer) {
    if (System.nanoTime() - measuredAt < INTERVAL.toNanos()) {
      return;
    }
    measuredAt = System.nanoTime();
    try {
      Map<TopicPartition, Long> measured = new HashMap<>();
      consumer
          .endOffsets(consumer.assignment(), LIMIT)
          .forEach(
              (partition, end) ->
                  measured.put(partition, Math.max(0, end - consumer.position(partition, LIMIT))));
      lags = Map.copyOf(measured);
    } catch (WakeupException | InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      // The last figures stay; that Kafka does not answer is seen by the next poll.
    }
  }

  void forget() {
    lags = Map.of();
  }

  Map<TopicPartition, Long> lags() {
    return lags;
  }
}
