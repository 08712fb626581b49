package outbox.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcInboxStore;

/** Producers of messages that are never handled: one transaction for each. */
final class Intake implements Contestant {
  private static final String RAW =
      """
      INSERT INTO outbox_inbox (event_id, source, message_id, topic, payload, status,
        available_at, first_seen_at)
      VALUES (?, ?, ?, ?, ?, 0, statement_timestamp(), statement_timestamp())
      ON CONFLICT (source, message_id)""";

  private static final String UNANSWERED = RAW + " DO NOTHING";
  private static final String ANSWERED =
      RAW + " DO UPDATE SET seen_again_at = statement_timestamp() RETURNING seen_again_at, status";

  private final Call call;
  private final LongAdder taken = new LongAdder();

  private Intake(Call call) {
    this.call = call;
  }

  /** The floor: all that an intake must write, and no question asked. */
  static Intake unanswered(DataSource dataSource) {
    return byHand(dataSource, UNANSWERED);
  }

  /** By hand: says whether the message is new, and else how it stands. */
  static Intake answered(DataSource dataSource) {
    return byHand(dataSource, ANSWERED);
  }

  private static Intake byHand(DataSource dataSource, String sql) {
    return new Intake(
        event -> {
          try (Connection connection = dataSource.getConnection();
              PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setString(1, event.eventId());
            insert.setString(2, InboxTable.SOURCE);
            insert.setString(3, event.eventId());
            insert.setString(4, Payload.TYPE);
            insert.setString(5, Payload.TEXT);
            insert.execute();
          }
        });
  }

  static Intake ofNew(DataSource dataSource) {
    Inbox inbox = inbox(dataSource);
    return new Intake(
        event ->
            inbox.receive(
                new InboxKey(InboxTable.SOURCE, event.eventId()), Payload.TYPE, Payload.TEXT));
  }

  /** Sends again what {@link InboxTable#load} made, each message in turn. */
  static Intake ofDuplicates(DataSource dataSource, int loaded) {
    Inbox inbox = inbox(dataSource);
    AtomicLong next = new AtomicLong();
    return new Intake(
        event -> {
          String id = InboxTable.PREFIX + (1 + next.getAndIncrement() % loaded);
          inbox.receive(new InboxKey(InboxTable.SOURCE, id), Payload.TYPE, Payload.TEXT);
        });
  }

  private static Inbox inbox(DataSource dataSource) {
    return Inbox.builder(new DataSourceConnectionProvider(dataSource), new JdbcInboxStore())
        .build();
  }

  @Override
  public void commit(EventEnvelope event, boolean withBusinessRow) throws Exception {
    call.receive(event);
    taken.increment();
  }

  @Override
  public long completed() {
    return taken.sum();
  }

  @Override
  public void close() {}

  @FunctionalInterface
  private interface Call {
    void receive(EventEnvelope event) throws SQLException;
  }
}
