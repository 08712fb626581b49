package outbox.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import outbox.rabbitmq.MessageFormat.OutgoingMessage;

/**
 * A channel with publisher confirms. One thread publishes a batch at a time; the client's threads
 * bring confirms and returned messages.
 */
final class PublishChannel {
  private final Channel channel;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition settled = lock.newCondition();
  private final NavigableMap<Long, Integer> unconfirmed = new TreeMap<>();
  private final Set<Integer> refused = new HashSet<>();
  private final Set<String> returned = new HashSet<>();
  private int published;
  private @Nullable ShutdownSignalException ended;

  private PublishChannel(Channel channel) {
    this.channel = channel;
  }

  static PublishChannel open(Connection connection) throws IOException {
    Channel channel = connection.createChannel();
    if (channel == null) {
      throw new IOException("RabbitMQ allows no more channels on this connection");
    }
    PublishChannel opened = new PublishChannel(channel);
    channel.addConfirmListener(
        (tag, multiple) -> opened.confirm(tag, multiple, false),
        (tag, multiple) -> opened.confirm(tag, multiple, true));
    channel.addReturnListener(message -> opened.returned(message.getProperties().getMessageId()));
    channel.addShutdownListener(opened::ended);
    channel.confirmSelect();
    return opened;
  }

  Connection connection() {
    return channel.getConnection();
  }

  boolean isOpen() {
    return channel.isOpen();
  }

  /** Publishes the messages; what the broker says of them is known by {@link #await}. */
  void publish(List<OutgoingMessage> messages) throws IOException {
    begin();
    for (int i = 0; i < messages.size(); i++) {
      OutgoingMessage message = messages.get(i);
      expect(channel.getNextPublishSeqNo(), i);
      channel.basicPublish(
          message.exchange(), message.routingKey(), true, message.properties(), message.body());
    }
  }

  private void begin() {
    lock.lock();
    try {
      published = 0;
      unconfirmed.clear();
      refused.clear();
      returned.clear();
    } finally {
      lock.unlock();
    }
  }

  private void expect(long tag, int index) {
    lock.lock();
    try {
      unconfirmed.put(tag, index);
      published = index + 1;
    } finally {
      lock.unlock();
    }
  }

  private void confirm(long tag, boolean multiple, boolean negative) {
    lock.lock();
    try {
      NavigableMap<Long, Integer> these =
          multiple ? unconfirmed.headMap(tag, true) : unconfirmed.subMap(tag, true, tag, true);
      if (negative) {
        refused.addAll(these.values());
      }
      these.clear();
      settled.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The broker sends a message back before it confirms it. */
  private void returned(String messageId) {
    lock.lock();
    try {
      returned.add(messageId);
    } finally {
      lock.unlock();
    }
  }

  private void ended(ShutdownSignalException signal) {
    lock.lock();
    try {
      ended = signal;
      settled.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until all messages are confirmed, the channel is closed or the limit is over. */
  Confirms await(Duration limit) throws InterruptedException {
    long left = limit.toNanos();
    lock.lockInterruptibly();
    try {
      while (!unconfirmed.isEmpty() && ended == null && left > 0) {
        left = settled.awaitNanos(left);
      }
      return confirms();
    } finally {
      lock.unlock();
    }
  }

  /** What is known now. */
  Confirms confirms() {
    lock.lock();
    try {
      return new Confirms(
          published,
          Set.copyOf(unconfirmed.values()),
          Set.copyOf(refused),
          Set.copyOf(returned),
          ended);
    } finally {
      lock.unlock();
    }
  }

  void close() {
    try {
      channel.abort();
    } catch (IOException e) {
      throw new AssertionError("abort() throws nothing", e);
    }
  }

  /**
   * What the broker has said of a batch.
   *
   * @param published how many messages were published; the last of them perhaps in part
   * @param unconfirmed indexes of messages of which it has said nothing
   * @param refused indexes of messages that it could not take
   * @param returned ids of messages that no queue takes
   * @param ended why the channel is closed; null if it is open
   */
  record Confirms(
      int published,
      Set<Integer> unconfirmed,
      Set<Integer> refused,
      Set<String> returned,
      @Nullable ShutdownSignalException ended) {

    /** Whether the broker has answered for the message. */
    boolean isAnswered(int index) {
      return index < published && !unconfirmed.contains(index);
    }
  }
}
