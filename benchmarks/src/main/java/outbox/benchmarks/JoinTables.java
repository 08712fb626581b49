package outbox.benchmarks;

import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcJoinStore;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.schema.OutboxSchema;
import outbox.join.JoinCoordinator;
import outbox.join.JoinTracker;
import outbox.model.JoinStatus;
import outbox.model.MessageId;

/** The tables of joins beside those of the events, as the library deploys them. */
final class JoinTables {
  private final Server server;
  private final Tables events;

  JoinTables(Server server) {
    this.server = server;
    this.events = new Tables(server);
  }

  /** New and empty, so that no round works on the remains of another. */
  void recreate() {
    drop();
    events.recreate();
    OutboxSchema.of(server.dataSource()).withJoins().deploy();
  }

  /** For the scenarios that know no joins. */
  void drop() {
    server.execute("DROP TABLE IF EXISTS outbox_join_wait, outbox_join_member, outbox_join");
  }

  /** A backlog of two halves, and a join of each if there are to be any. */
  void load(int half, boolean inJoins) {
    events.loadPending(2 * half);
    if (inJoins) {
      JoinCoordinator joins = coordinator(server.dataSource());
      joins.attachAll(joins.startJoin(null, half, null), ids(1, half));
      joins.attachAll(joins.startJoin(null, half, null), ids(half + 1, 2 * half));
    }
    events.vacuum();
    server.execute("VACUUM (ANALYZE) outbox_join, outbox_join_member");
    events.checkpoint();
  }

  private static List<MessageId> ids(int first, int last) {
    return IntStream.rangeClosed(first, last)
        .mapToObj(n -> new MessageId("pending-" + "%012d".formatted(n)))
        .toList();
  }

  void requireAllCompleted(int steps) {
    long exact =
        server.number(
            "SELECT count(*) FROM outbox_join WHERE completed_steps = "
                + steps
                + " AND status = "
                + JoinStatus.COMPLETED.code());
    if (exact != 2) {
      throw new IllegalStateException("the joins of " + steps + " steps are not completed");
    }
  }

  static JoinCoordinator coordinator(DataSource dataSource) {
    return JoinCoordinator.builder(
            new DataSourceConnectionProvider(dataSource),
            new JdbcOutboxRepository(),
            new JoinTracker(new JdbcJoinStore()))
        .build();
  }
}
