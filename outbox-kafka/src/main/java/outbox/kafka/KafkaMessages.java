package outbox.kafka;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.internal.broker.BrokerMessages;

/** Records as messages. */
record KafkaMessages(RecordMapping mapping)
    implements BrokerMessages<ConsumerRecord<byte[], byte[]>> {

  @Override
  public InboundMessage message(ConsumerRecord<byte[], byte[]> record) throws Exception {
    return mapping.message(record);
  }

  @Override
  public InboxKey place(ConsumerRecord<byte[], byte[]> record) {
    return StandardMapping.place(record);
  }

  @Override
  public String position(ConsumerRecord<byte[], byte[]> record) {
    return StandardMapping.position(record);
  }

  @Override
  public byte @Nullable [] content(ConsumerRecord<byte[], byte[]> record) {
    return record.value();
  }
}
