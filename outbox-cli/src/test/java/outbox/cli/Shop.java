package outbox.cli;

import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxMessage;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcInboxStore;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;
import outbox.model.MessageId;
import outbox.model.OwnerToken;

/** A database with an outbox and an inbox, filled by the calls that applications make. */
final class Shop {
  private static final int BATCH = 1_000;
  private static final Duration LEASE = Duration.ofMinutes(5);

  /** A line for each message would be all there is to read. */
  private static final Logger QUIET = Logger.getLogger("outbox");

  static {
    QUIET.setLevel(Level.WARNING);
  }

  final String url;
  final Outbox outbox;
  final Inbox inbox;
  private final OwnerToken owner = OwnerToken.random();

  private Shop(String url, Properties properties) {
    this.url = url;
    DataSource dataSource = new DriverDataSource(url, properties);
    OutboxSchema.of(dataSource).deploy();
    InboxSchema.of(dataSource).deploy();
    DataSourceConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
    this.outbox = OutboxBuilder.of(connections, new JdbcOutboxRepository()).build();
    this.inbox = Inbox.builder(connections, new JdbcInboxStore()).build();
  }

  static Shop at(String url, String user) {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    return new Shop(url, properties);
  }

  /** In memory, for one test. */
  static Shop inMemory() {
    return at("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa");
  }

  /** Pending events of a topic. */
  List<MessageId> pending(String topic, int number) {
    List<EventEnvelope> events =
        IntStream.range(0, number)
            .mapToObj(i -> EventEnvelope.ofJson(topic, "{\"order\":" + i + "}"))
            .toList();
    List<MessageId> ids = new ArrayList<>();
    for (int from = 0; from < number; from += BATCH) {
      outbox
          .enqueueAll(events.subList(from, Math.min(number, from + BATCH)))
          .forEach(enqueued -> ids.add(enqueued.id()));
    }
    return ids;
  }

  /** Dead events of a topic; nothing else may be pending. */
  List<MessageId> dead(String topic, int number, String error) {
    List<MessageId> ids = pending(topic, number);
    end(batch -> outbox.fail(owner, batch, error));
    return ids;
  }

  /** Completed events of a topic; nothing else may be pending. */
  List<MessageId> done(String topic, int number) {
    List<MessageId> ids = pending(topic, number);
    end(batch -> outbox.ack(owner, batch));
    return ids;
  }

  /** Takes some and keeps them. */
  List<MessageId> lease(int number) {
    return outbox.claim(owner, LEASE, number).stream().map(OutboxMessage::id).toList();
  }

  private void end(Consumer<List<MessageId>> ending) {
    for (List<MessageId> batch = lease(BATCH); !batch.isEmpty(); batch = lease(BATCH)) {
      ending.accept(batch);
    }
  }

  /** A dead message of the inbox. */
  InboxKey deadReceived(String source, String messageId) {
    InboxKey key = new InboxKey(source, messageId);
    inbox.enqueue(InboundMessage.of(new InboxKey(source, messageId), "payment", "{}"));
    inbox.markDead(key);
    return key;
  }

  void execute(String sql) throws Exception {
    try (Connection connection = DriverManager.getConnection(url, "sa", "");
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
