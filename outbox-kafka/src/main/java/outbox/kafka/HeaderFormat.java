package outbox.kafka;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.broker.Payloads;
import outbox.internal.broker.WireHeaders;

/** The payload as it is, everything else as headers. */
final class HeaderFormat implements RecordFormat {

  @Override
  public ProducerRecord<byte[], byte[]> record(
      String topic, byte @Nullable [] key, EventEnvelope event) {
    ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, key, Payloads.bytes(event));
    WireHeaders.of(event)
        .forEach(
            (name, value) -> record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
    return record;
  }
}
