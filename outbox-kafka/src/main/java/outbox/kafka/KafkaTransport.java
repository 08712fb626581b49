package outbox.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.broker.Forwarded;
import outbox.internal.broker.Transport;

/** Sends all records of a batch, flushes once and collects the outcome of each. */
final class KafkaTransport implements Transport {
  private final Producers producers;
  private final Function<EventEnvelope, ProducerRecord<byte[], byte[]>> records;
  private final Duration sendLimit;

  /**
   * @param sendLimit how long the sends of one batch may block together, before the flush
   */
  KafkaTransport(
      Producers producers,
      Function<EventEnvelope, ProducerRecord<byte[], byte[]>> records,
      Duration sendLimit) {
    this.producers = producers;
    this.records = records;
    this.sendLimit = sendLimit;
  }

  @Override
  public List<Forwarded> send(List<EventEnvelope> events) {
    Producer<byte[], byte[]> producer = producers.current();
    Sends sends = new Sends(producer);
    List<Pending> pending = new ArrayList<>(events.size());
    for (EventEnvelope event : events) {
      pending.add(sends.send(event));
    }
    flush(producer);
    boolean interrupted = Thread.interrupted();
    List<Forwarded> results = new ArrayList<>(events.size());
    for (Pending one : pending) {
      results.add(one.result());
    }
    if (sends.fatal) {
      producers.replace(producer);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return results;
  }

  /** Waits until each record has an outcome; an interrupt ends it early, and stays set. */
  private static void flush(Producer<byte[], byte[]> producer) {
    try {
      producer.flush();
    } catch (InterruptException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A record on its way, or what became of it before. */
  private record Pending(@Nullable Forwarded known, @Nullable Future<RecordMetadata> sent) {

    static Pending of(Forwarded known) {
      return new Pending(known, null);
    }

    Forwarded result() {
      if (sent == null) {
        return known == null ? Forwarded.SENT : known;
      }
      if (!sent.isDone()) {
        return new Forwarded.Unavailable(
            new InterruptedException("interrupted before Kafka had confirmed the record"));
      }
      try {
        sent.get();
        return Forwarded.SENT;
      } catch (ExecutionException | InterruptedException e) {
        return SendErrors.judge(e);
      }
    }
  }

  /**
   * The sends of one batch. A send blocks while the producer knows nothing of the topic or its
   * memory is full; so a topic that had no answer is not asked for again, and when the limit is
   * over the rest of the batch is not tried.
   */
  private final class Sends {
    private final Producer<byte[], byte[]> producer;
    private final long start = System.nanoTime();
    private final Map<String, Throwable> silent = new HashMap<>();
    private boolean fatal;

    Sends(Producer<byte[], byte[]> producer) {
      this.producer = producer;
    }

    Pending send(EventEnvelope event) {
      ProducerRecord<byte[], byte[]> record;
      try {
        record = records.apply(event);
      } catch (RuntimeException e) {
        return Pending.of(
            new Forwarded.Refused("the event cannot become a Kafka record: " + e.getMessage(), e));
      }
      Throwable silence = silent.get(record.topic());
      if (silence != null) {
        return Pending.of(SendErrors.judge(silence));
      }
      if (System.nanoTime() - start > sendLimit.toNanos()) {
        return Pending.of(
            new Forwarded.Unavailable(
                new TimeoutException("the sends of this batch took longer than " + sendLimit)));
      }
      return send(record);
    }

    private Pending send(ProducerRecord<byte[], byte[]> record) {
      try {
        Future<RecordMetadata> sent = producer.send(record);
        if (sent.isDone()) {
          noteSilence(record.topic(), sent);
        }
        return new Pending(null, sent);
      } catch (InterruptException e) {
        return Pending.of(SendErrors.judge(e));
      } catch (RuntimeException e) {
        fatal |= !(e instanceof ApiException);
        return Pending.of(SendErrors.judge(e));
      }
    }

    private void noteSilence(String topic, Future<RecordMetadata> sent) {
      try {
        sent.get();
      } catch (ExecutionException e) {
        if (e.getCause() instanceof TimeoutException timeout) {
          silent.put(topic, timeout);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
