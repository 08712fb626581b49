package outbox.chaos.node;

import java.util.Random;
import outbox.EventEnvelope;
import outbox.chaos.clock.SteadyClock;
import outbox.chaos.ledger.Fact;
import outbox.chaos.ledger.Topic;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcOutbox;

/** Messages from outside, which several nodes bring; the handler has an effect and publishes. */
final class InboxWork {
  static final String TOPIC = "inbox";
  private static final String SOURCE = "world";
  private static final int MESSAGES = 8;

  private final Calls calls;
  private final String node;

  InboxWork(Calls calls, String node) {
    this.calls = calls;
    this.node = node;
  }

  void register(JdbcInbox.Builder inbox, JdbcOutbox outbox) {
    inbox.transactionalHandler(
        TOPIC,
        (message, connection) ->
            calls.run(
                TOPIC,
                id(message),
                () -> {
                  Business.effect(connection, id(message), node);
                  EventEnvelope event = EventEnvelope.ofJson(Topic.PLAIN.label(), "{}");
                  Business.insert(connection, event.eventId(), Topic.PLAIN, id(message));
                  outbox.publish(event);
                }));
  }

  private static String id(InboxMessage message) {
    return message.key().messageId();
  }

  /** Each message is brought by several nodes within a second. */
  void receive(JdbcInbox inbox, Random random) {
    String id = "message-" + SteadyClock.millis() / 500 + "-" + random.nextInt(MESSAGES);
    inbox.receive(new InboxKey(SOURCE, id), TOPIC, "{}");
    calls.ledger().note(Fact.RECEIVED, TOPIC, id, "");
  }
}
