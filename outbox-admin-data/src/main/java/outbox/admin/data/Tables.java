package outbox.admin.data;

import java.time.Duration;
import java.util.function.Supplier;
import outbox.OutboxBuilder;
import outbox.inbox.Inbox;
import outbox.jdbc.JdbcInboxStore;
import outbox.jdbc.JdbcJoinStore;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.internal.query.BoundedQueries;
import outbox.join.JoinCoordinator;
import outbox.join.JoinTracker;
import outbox.spi.ConnectionProvider;

/** The tables of one database, each with what looks into it and what changes it. */
final class Tables {
  private final Looks outbox;
  private final Looks inbox;
  private final Looks joins;
  private final TableEvents events;
  private final TableInbox messages;
  private final TableJoins operatedJoins;

  Tables(OperatedDatabase.Builder setup, Supplier<Boolean> joinsPresent) {
    ConnectionProvider connections = new LimitedConnections(setup.dataSource, setup.timeLimit);
    this.outbox = looks(outboxQueries(setup), setup.timeLimit);
    this.inbox = looks(inboxQueries(setup), setup.timeLimit);
    this.joins = looks(joinQueries(setup), setup.timeLimit);
    this.operatedJoins = new TableJoins(joins, coordinator(setup, connections), joinsPresent);
    this.events =
        new TableEvents(
            outbox,
            setup.waitTopic,
            operatedJoins,
            LimitedDeadLetters.of(
                OutboxBuilder.of(
                        connections,
                        JdbcOutboxRepository.builder().tableName(setup.outboxTable).build())
                    .onCommit(setup.onReplay)
                    .build()
                    .deadLetters(),
                setup.timeLimit),
            setup.onReplay);
    this.messages = messages(setup, connections);
  }

  private static Looks looks(BoundedQueries.Builder queries, Duration limit) {
    return new Looks(queries.timeLimit(limit).build(), limit);
  }

  static BoundedQueries.Builder outboxQueries(OperatedDatabase.Builder setup) {
    return BoundedQueries.builder(setup.dataSource, Tables.class, "queue")
        .name("own", EventRows.OWN_COLUMNS)
        .name("users", "event_type <> :internal")
        .name("topic", "event_type")
        .name("tenant", "tenant_id")
        .name("stored_at", "created_at")
        .name("correlation", "correlation_id")
        .name("payload_text", "payload_text")
        .name("payload_bytes", "payload_bytes")
        .name("done_index", "{table_name}_done")
        .table("table", setup.outboxTable);
  }

  static BoundedQueries.Builder inboxQueries(OperatedDatabase.Builder setup) {
    return BoundedQueries.builder(setup.dataSource, Tables.class, "queue")
        .name("own", InboxRows.OWN_COLUMNS)
        .name("users", "1 = 1")
        .name("topic", "topic")
        .name("tenant", "source")
        .name("stored_at", "first_seen_at")
        .name("correlation", "event_id")
        .name("payload_text", "payload")
        .name("payload_bytes", "NULLIF(hash, hash)")
        .name("done_index", "idx_done")
        .table("table", setup.inboxTable);
  }

  static BoundedQueries.Builder joinQueries(OperatedDatabase.Builder setup) {
    return BoundedQueries.builder(setup.dataSource, Tables.class, "joins")
        .table("joins", setup.joinTable)
        .table("members", setup.joinTable + "_member")
        .table("waits", setup.joinTable + "_wait")
        .table("table", setup.outboxTable);
  }

  private static JoinCoordinator coordinator(
      OperatedDatabase.Builder setup, ConnectionProvider connections) {
    JoinTracker tracker =
        new JoinTracker(
            new JdbcJoinStore().tableName(setup.outboxTable).joinTableName(setup.joinTable));
    tracker.onDue(setup.onReplay);
    JdbcOutboxRepository hooked =
        JdbcOutboxRepository.builder().tableName(setup.outboxTable).terminalHook(tracker).build();
    return JoinCoordinator.builder(connections, hooked, tracker).build();
  }

  private TableInbox messages(OperatedDatabase.Builder setup, ConnectionProvider connections) {
    JdbcInboxStore store = JdbcInboxStore.onTable(setup.inboxTable);
    Inbox operated = Inbox.builder(connections, store).onCommit(setup.onInboxReplay).build();
    return new TableInbox(
        inbox, store, LimitedDeadLetters.of(operated.deadLetters(), setup.timeLimit));
  }

  Looks outbox() {
    return outbox;
  }

  Looks inbox() {
    return inbox;
  }

  Looks joins() {
    return joins;
  }

  TableEvents events() {
    return events;
  }

  TableInbox messages() {
    return messages;
  }

  TableJoins operatedJoins() {
    return operatedJoins;
  }
}
