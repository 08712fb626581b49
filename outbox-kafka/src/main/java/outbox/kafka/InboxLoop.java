package outbox.kafka;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import outbox.inbox.PoisonMessageException;
import outbox.internal.broker.Backoff;
import outbox.internal.broker.Intake;

/**
 * One thread with one consumer: polls, stores, and commits the offsets after the database has
 * committed. Between two polls nothing is in flight, so that a rebalance has nothing to wait for.
 */
final class InboxLoop implements Runnable {
  private static final Logger LOG = System.getLogger(KafkaInboxConsumer.class.getName());
  private static final Duration POLL = Duration.ofMillis(500);

  private final Supplier<Consumer<byte[], byte[]>> consumers;
  private final Collection<String> topics;
  private final Intake<ConsumerRecord<byte[], byte[]>> intake;
  private final BooleanSupplier paused;
  private final Backoff backoff = new Backoff();
  private final CountDownLatch stop = new CountDownLatch(1);
  private final LagMeter lag = new LagMeter();
  private volatile @Nullable Consumer<byte[], byte[]> current;
  private volatile @Nullable PoisonMessageException poison;
  private boolean failing;

  InboxLoop(
      Supplier<Consumer<byte[], byte[]>> consumers,
      Collection<String> topics,
      Intake<ConsumerRecord<byte[], byte[]>> intake,
      BooleanSupplier paused) {
    this.consumers = consumers;
    this.topics = topics;
    this.intake = intake;
    this.paused = paused;
  }

  @Override
  public void run() {
    while (isRunning()) {
      try (Consumer<byte[], byte[]> consumer = consumers.get()) {
        current = consumer;
        consumer.subscribe(topics);
        while (isRunning()) {
          turn(consumer);
        }
      } catch (WakeupException e) {
        // stop() has woken it
      } catch (PoisonMessageException e) {
        poison = e;
        LOG.log(Level.ERROR, "consumer stopped topics=" + topics, e);
        return;
      } catch (KafkaException e) {
        note("Kafka", e);
        pause();
      } finally {
        current = null;
        lag.forget();
      }
    }
  }

  private void turn(Consumer<byte[], byte[]> consumer) {
    lag.measure(consumer);
    if (paused.getAsBoolean()) {
      idle(consumer, POLL);
      return;
    }
    ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
    if (records.isEmpty()) {
      return;
    }
    try {
      intake.store(records);
    } catch (PoisonMessageException e) {
      throw e;
    } catch (RuntimeException e) {
      note("the inbox", e);
      rewind(consumer, records);
      idle(consumer, backoff.next());
      return;
    }
    recovered();
    commit(consumer);
  }

  /** What was stored and is not committed comes again, and the inbox knows it by its key. */
  private static void commit(Consumer<byte[], byte[]> consumer) {
    try {
      commitDespiteStop(consumer);
    } catch (CommitFailedException | RetriableException e) {
      LOG.log(Level.INFO, "offsets not committed; the records come again as duplicates", e);
    }
  }

  /** stop() may wake the consumer in the middle of its commit. */
  private static void commitDespiteStop(Consumer<byte[], byte[]> consumer) {
    try {
      consumer.commitSync();
    } catch (WakeupException e) {
      consumer.commitSync();
    }
  }

  /** The next poll brings the same records again, those of partitions that are still here. */
  private static void rewind(
      Consumer<byte[], byte[]> consumer, ConsumerRecords<byte[], byte[]> records) {
    Set<TopicPartition> assigned = consumer.assignment();
    for (TopicPartition partition : records.partitions()) {
      if (assigned.contains(partition)) {
        consumer.seek(partition, records.records(partition).get(0).offset());
      }
    }
  }

  /** Waits without fetching, and stays a member of its group. */
  private static void idle(Consumer<byte[], byte[]> consumer, Duration time) {
    Set<TopicPartition> assigned = consumer.assignment();
    consumer.pause(assigned);
    ConsumerRecords<byte[], byte[]> unexpected = consumer.poll(time);
    // A partition that was assigned meanwhile is not paused.
    rewind(consumer, unexpected);
    consumer.resume(consumer.paused());
  }

  private void note(String what, Exception e) {
    if (!failing) {
      failing = true;
      LOG.log(
          Level.WARNING,
          what
              + " does not take or give records topics="
              + topics
              + "; nothing is lost, the consumer tries again",
          e);
    }
  }

  private void recovered() {
    backoff.reset();
    if (failing) {
      failing = false;
      LOG.log(Level.INFO, "records are stored again topics=" + topics);
    }
  }

  private void pause() {
    try {
      boolean ignored = stop.await(backoff.next().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      stop.countDown();
    }
  }

  Map<TopicPartition, Long> lags() {
    return lag.lags();
  }

  @Nullable PoisonMessageException poison() {
    return poison;
  }

  boolean isRunning() {
    return stop.getCount() > 0 && poison == null;
  }

  /** Ends the loop after the records that it has in hand. */
  void stop() {
    stop.countDown();
    Consumer<byte[], byte[]> consumer = current;
    if (consumer != null) {
      consumer.wakeup();
    }
  }
}
