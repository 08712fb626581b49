package outbox.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import outbox.Outbox;
import outbox.OutboxMessage;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxWorkStore;
import outbox.model.MessageId;
import outbox.model.OwnerToken;

/**
 * What a builder has built, be it an outbox or an inbox.
 *
 * @param intake stores a message of a topic
 * @param claims leases what is due; returns what gives it back
 */
record Engine(BiConsumer<String, String> intake, Supplier<Runnable> claims, Runnable end)
    implements AutoCloseable {
  private static final OwnerToken ME = new OwnerToken("me");
  private static final Duration LEASE = Duration.ofMinutes(1);

  static Engine of(Outbox outbox, Runnable end) {
    return new Engine(
        outbox::enqueue,
        () -> {
          List<MessageId> leased =
              outbox.claim(ME, LEASE, 10).stream().map(OutboxMessage::id).toList();
          return () -> outbox.abandon(ME, leased);
        },
        end);
  }

  static Engine of(Inbox inbox, InboxWorkStore work, Runnable end) {
    return new Engine(
        (topic, payload) ->
            inbox.enqueue(
                InboundMessage.of(
                    new InboxKey("shop", UUID.randomUUID().toString()), topic, payload)),
        () -> {
          List<InboxMessage> leased = work.claim(ME, LEASE, 10);
          return () -> work.abandon(ME, leased);
        },
        end);
  }

  void send(String topic) {
    send(topic, "{}");
  }

  void send(String topic, String payload) {
    intake.accept(topic, payload);
  }

  /** Leases what is due, as a worker of its own does; run the result to give it back as failed. */
  Runnable claim() {
    return claims.get();
  }

  @Override
  public void close() {
    end.run();
  }
}
