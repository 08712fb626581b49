package outbox.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.broker.Forwarded;
import outbox.internal.broker.Transport;
import outbox.rabbitmq.MessageFormat.OutgoingMessage;
import outbox.rabbitmq.PublishChannel.Confirms;

/** Publishes all messages of a batch, then waits for their confirms once. */
final class RabbitTransport implements Transport {
  private final Publishers publishers;
  private final MessageFormat format;
  private final Duration limit;

  /**
   * @param limit how long a batch may take to be published, and then to be confirmed
   */
  RabbitTransport(Publishers publishers, MessageFormat format, Duration limit) {
    this.publishers = publishers;
    this.format = format;
    this.limit = limit;
  }

  @Override
  public List<Forwarded> send(List<EventEnvelope> events) {
    List<@Nullable Forwarded> results =
        new ArrayList<>(Collections.nCopies(events.size(), (Forwarded) null));
    List<OutgoingMessage> messages = new ArrayList<>(events.size());
    List<Integer> indexes = new ArrayList<>(events.size());
    for (int i = 0; i < events.size(); i++) {
      try {
        messages.add(format.message(events.get(i)));
        indexes.add(i);
      } catch (RuntimeException e) {
        results.set(
            i, new Forwarded.Refused("the event cannot become a message: " + e.getMessage(), e));
      }
    }
    List<Forwarded> sent = publish(messages);
    for (int i = 0; i < sent.size(); i++) {
      results.set(indexes.get(i), sent.get(i));
    }
    return results.stream().map(result -> result == null ? Forwarded.SENT : result).toList();
  }

  private List<Forwarded> publish(List<OutgoingMessage> messages) {
    if (messages.isEmpty()) {
      return List.of();
    }
    if (publishers.isBlocked()) {
      return unavailable(messages, new IOException("RabbitMQ has blocked its publishers"));
    }
    PublishChannel channel;
    try {
      channel = publishers.take();
    } catch (IOException | TimeoutException | ShutdownSignalException e) {
      return unavailable(messages, e);
    }
    return publish(channel, messages);
  }

  private List<Forwarded> publish(PublishChannel channel, List<OutgoingMessage> messages) {
    Exception broken = null;
    boolean interrupted = false;
    Confirms confirms;
    WriteLimit writing = WriteLimit.of(limit, () -> publishers.abandon(channel));
    try {
      channel.publish(messages);
    } catch (IOException | AlreadyClosedException e) {
      broken = e;
    } finally {
      writing.end();
    }
    try {
      confirms = channel.await(limit);
    } catch (InterruptedException e) {
      interrupted = true;
      confirms = channel.confirms();
    }
    List<Forwarded> results = results(messages, confirms, broken);
    giveBack(channel, confirms);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return results;
  }

  private List<Forwarded> results(
      List<OutgoingMessage> messages, Confirms confirms, @Nullable Exception broken) {
    ShutdownSignalException ended = confirms.ended();
    List<Forwarded> results = new ArrayList<>(messages.size());
    for (int i = 0; i < messages.size(); i++) {
      if (confirms.isAnswered(i)) {
        results.add(confirmed(i, messages.get(i), confirms));
      } else if (ended != null && isOfOneMessage(ended)) {
        results.add(messages.size() == 1 ? judge(ended) : publish(List.of(messages.get(i))).get(0));
      } else {
        results.add(new Forwarded.Unavailable(reason(ended, broken)));
      }
    }
    return results;
  }

  /** The broker closes the channel, and only that, because of one message. */
  private static boolean isOfOneMessage(ShutdownSignalException ended) {
    return !ended.isHardError() && !ended.isInitiatedByApplication();
  }

  private static Forwarded confirmed(int index, OutgoingMessage message, Confirms confirms) {
    if (confirms.returned().contains(message.properties().getMessageId())) {
      return new Forwarded.Failed(
          new UnroutableException(message.exchange(), message.routingKey()));
    }
    return confirms.refused().contains(index)
        ? new Forwarded.Unavailable(new IOException("RabbitMQ has refused the message (nack)"))
        : Forwarded.SENT;
  }

  /** Why the broker closed a channel on which one message was published. */
  private static Forwarded judge(ShutdownSignalException ended) {
    if (ended.getReason() instanceof AMQP.Channel.Close close) {
      if (close.getReplyCode() == AMQP.PRECONDITION_FAILED) {
        return new Forwarded.Refused(
            "RabbitMQ refuses the message: " + close.getReplyText(), ended);
      }
      if (close.getReplyCode() == AMQP.ACCESS_REFUSED) {
        return new Forwarded.Unavailable(ended);
      }
    }
    return new Forwarded.Failed(ended);
  }

  private static Exception reason(
      @Nullable ShutdownSignalException ended, @Nullable Exception broken) {
    if (ended != null) {
      return ended;
    }
    return broken != null ? broken : new TimeoutException("RabbitMQ has not confirmed in time");
  }

  private static List<Forwarded> unavailable(List<OutgoingMessage> messages, Exception cause) {
    return Collections.nCopies(messages.size(), new Forwarded.Unavailable(cause));
  }

  /** A late confirm must not meet the next batch. */
  private void giveBack(PublishChannel channel, Confirms confirms) {
    if (confirms.unconfirmed().isEmpty() && channel.isOpen()) {
      publishers.giveBack(channel);
    } else if (confirms.ended() == null) {
      publishers.abandon(channel);
    }
  }
}
