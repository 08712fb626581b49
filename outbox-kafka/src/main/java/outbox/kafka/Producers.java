package outbox.kafka;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The producer that a forwarder uses at the moment. Thread-safe. */
interface Producers extends AutoCloseable {

  Producer<byte[], byte[]> current();

  /** Takes another producer in the place of one that has failed for good, if it may. */
  void replace(Producer<byte[], byte[]> failed);

  @Override
  void close();

  /** One of the application, which closes it by itself. */
  static Producers given(Producer<byte[], byte[]> producer) {
    return new Producers() {
      @Override
      public Producer<byte[], byte[]> current() {
        return producer;
      }

      @Override
      public void replace(Producer<byte[], byte[]> failed) {}

      @Override
      public void close() {}
    };
  }

  /** One that is created now, and again after a fatal error such as a refused password. */
  static Producers own(Map<String, Object> settings) {
    return new Own(settings);
  }

  /** See {@link #own}. */
  final class Own implements Producers {
    private final Map<String, Object> settings;
    private volatile Producer<byte[], byte[]> producer;
    private boolean closed;

    private Own(Map<String, Object> settings) {
      this.settings = settings;
      this.producer = create();
    }

    private Producer<byte[], byte[]> create() {
      return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public Producer<byte[], byte[]> current() {
      return producer;
    }

    @Override
    public synchronized void replace(Producer<byte[], byte[]> failed) {
      if (producer == failed && !closed) {
        failed.close(Duration.ZERO);
        producer = create();
      }
    }

    @Override
    public synchronized void close() {
      closed = true;
      producer.close();
    }
  }
}
