package outbox.kafka;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import outbox.inbox.InboundMessage;

/** Makes a message of the inbox of a record. Thread-safe. */
@FunctionalInterface
public interface RecordMapping {

  /**
   * Returns the message that a record is. What this throws makes the record a poison record: it
   * must not quote the record's content.
   */
  InboundMessage message(ConsumerRecord<byte[], byte[]> record) throws Exception;

  /**
   * The mapping that consumers use unless they are given another one. It reads CloudEvents in both
   * modes, the headers that {@link KafkaForwarder} writes, and any other record by its place.
   *
   * <table>
   * <caption>What becomes what</caption>
   * <tr><th>record</th><th>source</th><th>message id</th><th>topic</th></tr>
   * <tr><td>CloudEvent</td><td>its {@code source}</td><td>its {@code id}</td><td>its {@code type}</td></tr>
   * <tr><td>of an outbox</td><td>the Kafka topic</td><td>{@code outbox-event-id}</td><td>{@code outbox-event-type}</td></tr>
   * <tr><td>any other</td><td>the Kafka topic</td><td>partition and offset</td><td>the Kafka topic</td></tr>
   * </table>
   */
  static RecordMapping standard() {
    return new StandardMapping();
  }
}
