package outbox.admin;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxWorkStore;
import outbox.jdbc.JdbcInbox;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;
import outbox.model.ListenerStates;
import outbox.model.MessageId;
import outbox.model.OwnerToken;
import outbox.spi.LeasedEventStore.Failure;

/** Brings messages of a database into any state, by the library's own means. */
final class SampleQueue {
  static final Duration LEASE = Duration.ofMinutes(5);

  private final DataSource dataSource;
  private final JdbcOutbox outbox;
  private final JdbcInbox inbox;

  /** Creates the tables too. */
  SampleQueue(DataSource dataSource) {
    OutboxSchema.of(dataSource).withJoins().deploy();
    InboxSchema.of(dataSource).deploy();
    this.dataSource = dataSource;
    this.outbox = JdbcOutbox.builder(dataSource).joins().buildWithoutStart();
    this.inbox = JdbcInbox.builder(dataSource).buildWithoutStart();
  }

  Outbox outbox() {
    return outbox.queue();
  }

  Inbox inbox() {
    return inbox;
  }

  /** Not touched yet. */
  String pending(String topic) {
    return pending(topic, event -> event.payloadJson("{\"n\":1}"));
  }

  String pending(String topic, UnaryOperator<EventEnvelope.Builder> content) {
    return outbox().enqueue(content.apply(EventEnvelope.builder(topic)).build()).id().value();
  }

  String dead(String topic, String error) {
    return dead(topic, error, event -> event.payloadJson("{\"n\":1}"));
  }

  String dead(String topic, String error, UnaryOperator<EventEnvelope.Builder> content) {
    String id = pending(topic, content);
    OwnerToken owner = claim(id);
    outbox().fail(owner, List.of(new MessageId(id)), error);
    return id;
  }

  /** As the dispatcher leaves it, with what became of its listeners. */
  String dead(String topic, String error, Map<String, String> listeners) {
    String id = pending(topic);
    String owner = claim(id).value();
    Failure failure = new Failure(id, Duration.ZERO, error, new ListenerStates(listeners).text());
    try (Connection connection = dataSource.getConnection()) {
      new JdbcOutboxRepository().fail(connection, owner, List.of(failure));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return id;
  }

  String retrying(String topic, String error) {
    String id = pending(topic);
    outbox().abandon(claim(id), List.of(new MessageId(id)), error, Duration.ofHours(1));
    return id;
  }

  String done(String topic) {
    String id = pending(topic);
    outbox().ack(claim(id), List.of(new MessageId(id)));
    return id;
  }

  String leased(String topic) {
    String id = pending(topic);
    claim(id);
    return id;
  }

  void receive(String source, String messageId, String payload) {
    inbox().enqueue(InboundMessage.of(new InboxKey(source, messageId), "invoice", payload));
  }

  void receiveDead(String source, String messageId, String error) {
    receive(source, messageId, "{}");
    InboxWorkStore work = inbox.workStore();
    OwnerToken owner = OwnerToken.random();
    InboxKey key = new InboxKey(source, messageId);
    List<InboxMessage> others = new ArrayList<>(work.claim(owner, LEASE, 500));
    List<InboxMessage> meant =
        others.stream().filter(message -> message.key().equals(key)).toList();
    others.removeAll(meant);
    work.fail(owner, meant, error);
    work.abandon(owner, others, null, Duration.ofMillis(1));
  }

  /** Leases this one event; whatever was due as well is given back at once. */
  OwnerToken claim(String id) {
    OwnerToken owner = OwnerToken.random();
    List<MessageId> others = new ArrayList<>();
    outbox().claim(owner, LEASE, 500).forEach(message -> others.add(message.id()));
    if (!others.remove(new MessageId(id))) {
      throw new IllegalStateException("event " + id + " was not to be had");
    }
    outbox().release(owner, others);
    return owner;
  }
}
