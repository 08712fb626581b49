package outbox.kafka;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import outbox.InvalidSettingException;

/** The settings of a consumer that loses nothing. */
final class ConsumerSettings {
  private ConsumerSettings() {}

  static Map<String, Object> of(Map<String, ?> given) {
    Map<String, Object> settings = new HashMap<>(given);
    Object autoCommit = settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    if (autoCommit != null && !autoCommit.toString().equals("false")) {
      throw new InvalidSettingException(
          ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG
              + " ("
              + autoCommit
              + ") must be false: offsets are committed after the database's commit",
          ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG);
    }
    if (!settings.containsKey(ConsumerConfig.GROUP_ID_CONFIG)) {
      throw new InvalidSettingException(
          ConsumerConfig.GROUP_ID_CONFIG
              + " must be set: the group remembers what the inbox has, across restarts",
          ConsumerConfig.GROUP_ID_CONFIG);
    }
    settings.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    settings.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    settings.putIfAbsent(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    // Refuses now what would only fail in the thread of the consumer.
    ConsumerConfig checked = new ConsumerConfig(settings);
    return checked.originals();
  }
}
