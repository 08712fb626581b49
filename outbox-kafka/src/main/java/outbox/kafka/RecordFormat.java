package outbox.kafka;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/** How an event becomes a record. Thread-safe. */
@FunctionalInterface
interface RecordFormat {

  ProducerRecord<byte[], byte[]> record(String topic, byte @Nullable [] key, EventEnvelope event);
}
