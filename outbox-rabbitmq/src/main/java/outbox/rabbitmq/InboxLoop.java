package outbox.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import outbox.inbox.PoisonMessageException;
import outbox.internal.broker.Backoff;
import outbox.internal.broker.Intake;

/**
 * One thread with one connection: takes what has been delivered, stores it, and acknowledges it
 * after the database has committed.
 */
final class InboxLoop implements Runnable {
  private static final Logger LOG = System.getLogger(RabbitInboxConsumer.class.getName());
  private static final Duration TURN = Duration.ofMillis(500);
  private static final Duration LAG_INTERVAL = Duration.ofSeconds(1);
  private static final int CONNECT_MILLIS = 10_000;
  private static final int CLOSE_MILLIS = 2_000;

  private final ConnectionFactory factory;
  private final Collection<String> queues;
  private final int prefetch;
  private final Intake<QueuedDelivery> intake;
  private final Backoff backoff = new Backoff();
  private final CountDownLatch stop = new CountDownLatch(1);
  private volatile long lag;
  private volatile @Nullable PoisonMessageException poison;
  private long measuredAt;
  private boolean failing;

  InboxLoop(
      ConnectionFactory given,
      Collection<String> queues,
      int prefetch,
      Intake<QueuedDelivery> intake) {
    this.factory = given.clone();
    // What was delivered on a lost connection comes again: a new one begins without it.
    factory.setAutomaticRecoveryEnabled(false);
    factory.setConnectionTimeout(Math.min(factory.getConnectionTimeout(), CONNECT_MILLIS));
    this.queues = queues;
    this.prefetch = prefetch;
    this.intake = intake;
  }

  @Override
  public void run() {
    while (isRunning()) {
      try {
        consume(factory.newConnection("outbox-inbox"));
      } catch (IOException | TimeoutException | ShutdownSignalException e) {
        note("RabbitMQ", e);
        pause();
      } catch (PoisonMessageException e) {
        poison = e;
        LOG.log(Level.ERROR, "consumer stopped queues=" + queues, e);
      } catch (InterruptedException e) {
        stop();
      }
    }
  }

  private void consume(Connection connection) throws IOException, InterruptedException {
    try {
      Channel channel = connection.createChannel();
      if (channel == null) {
        throw new IOException("RabbitMQ allows no channel on this connection");
      }
      channel.basicQos(prefetch);
      BlockingQueue<QueuedDelivery> delivered = new LinkedBlockingQueue<>();
      for (String queue : queues) {
        channel.basicConsume(
            queue,
            false,
            (tag, delivery) -> delivered.add(new QueuedDelivery(queue, delivery)),
            tag -> channel.abort());
      }
      while (isRunning()) {
        if (!channel.isOpen()) {
          throw new IOException("the channel is closed", channel.getCloseReason());
        }
        turn(channel, delivered);
        measure(channel);
      }
    } finally {
      connection.abort(CLOSE_MILLIS);
    }
  }

  private void turn(Channel channel, BlockingQueue<QueuedDelivery> delivered)
      throws IOException, InterruptedException {
    QueuedDelivery first = delivered.poll(TURN.toMillis(), TimeUnit.MILLISECONDS);
    if (first == null) {
      return;
    }
    List<QueuedDelivery> batch = new ArrayList<>();
    batch.add(first);
    delivered.drainTo(batch, prefetch - 1);
    if (store(channel, batch)) {
      // Everything before it has been stored too.
      channel.basicAck(batch.get(batch.size() - 1).tag(), true);
      recovered();
    }
  }

  /** Tries until the database takes them; returns false if the channel or the loop ends before. */
  private boolean store(Channel channel, List<QueuedDelivery> batch) {
    while (true) {
      try {
        intake.store(batch);
        return true;
      } catch (PoisonMessageException e) {
        throw e;
      } catch (RuntimeException e) {
        note("the inbox", e);
        pause();
        if (!channel.isOpen() || !isRunning()) {
          return false;
        }
      }
    }
  }

  private void measure(Channel channel) throws IOException {
    if (System.nanoTime() - measuredAt < LAG_INTERVAL.toNanos()) {
      return;
    }
    measuredAt = System.nanoTime();
    long waiting = 0;
    for (String queue : queues) {
      waiting += channel.messageCount(queue);
    }
    lag = waiting;
  }

  private void note(String what, Exception e) {
    if (!failing && isRunning()) {
      failing = true;
      LOG.log(
          Level.WARNING,
          what
              + " does not take or give messages queues="
              + queues
              + "; nothing is lost, the consumer tries again",
          e);
    }
  }

  private void recovered() {
    backoff.reset();
    if (failing) {
      failing = false;
      LOG.log(Level.INFO, "messages are stored again queues=" + queues);
    }
  }

  private void pause() {
    try {
      boolean ignored = stop.await(backoff.next().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      stop();
    }
  }

  long lag() {
    return lag;
  }

  @Nullable PoisonMessageException poison() {
    return poison;
  }

  boolean isRunning() {
    return stop.getCount() > 0 && poison == null;
  }

  /** Ends the loop after the messages that it has in hand. */
  void stop() {
    stop.countDown();
  }
}
