package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.jdbc.internal.dialect.Dialects;
import outbox.jdbc.internal.dialect.TableName;
import outbox.jdbc.internal.join.JoinProgress;
import outbox.jdbc.internal.join.JoinRows;
import outbox.jdbc.internal.join.JoinStatements;
import outbox.jdbc.internal.join.JoinSteps;
import outbox.jdbc.internal.pool.BorrowedConnection;
import outbox.jdbc.internal.sql.JoinTables;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.jdbc.internal.tx.OwnTransaction;
import outbox.jdbc.schema.OutboxSchema;
import outbox.join.JoinCoordinator;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.JoinStep;
import outbox.model.StepStatus;
import outbox.spi.JoinStore;

/**
 * Joins in the database of a {@link JdbcOutboxRepository}. The tables come from {@link
 * OutboxSchema#withJoins()}. Thread-safe.
 */
public final class JdbcJoinStore implements JoinStore {
  /** In one transaction, unless a single join has more. */
  private static final int MOST_STEPS_PURGED = 5_000;

  private final TableName table;
  private final JoinTables joins;
  private final @Nullable String nowExpression;
  private final String waitTopic;
  private volatile @Nullable Statements statements;

  /** Creates a store of joins in the default tables, for the default table of events. */
  public JdbcJoinStore() {
    this(TableName.DEFAULT, JoinTables.DEFAULT, null, JoinCoordinator.DEFAULT_WAIT_TOPIC);
  }

  private JdbcJoinStore(
      TableName table, JoinTables joins, @Nullable String nowExpression, String waitTopic) {
    this.table = table;
    this.joins = joins;
    this.nowExpression = nowExpression;
    this.waitTopic = waitTopic;
  }

  /** Returns a store of joins of the messages in another table of events. */
  public JdbcJoinStore tableName(String tableName) {
    return new JdbcJoinStore(TableName.of(tableName), joins, nowExpression, waitTopic);
  }

  /** Returns a store of joins in tables that begin with another name than {@code outbox_join}. */
  public JdbcJoinStore joinTableName(String joinTableName) {
    return new JdbcJoinStore(table, JoinTables.of(joinTableName), nowExpression, waitTopic);
  }

  /**
   * Returns a store of joins whose wait messages have another topic than {@value
   * JoinCoordinator#DEFAULT_WAIT_TOPIC}.
   *
   * @throws IllegalArgumentException if it is no topic
   */
  public JdbcJoinStore waitTopic(String waitTopic) {
    EventEnvelope.ofJson(requireNonNull(waitTopic, "waitTopic"), "");
    return new JdbcJoinStore(table, joins, nowExpression, waitTopic);
  }

  String joinTableName() {
    return joins.joins().toString();
  }

  String waitTopic() {
    return waitTopic;
  }

  /** Returns a copy that reads the time by this SQL expression, of the database's instant type. */
  JdbcJoinStore nowExpression(String expression) {
    return new JdbcJoinStore(table, joins, requireNonNull(expression, "nowExpression"), waitTopic);
  }

  @Override
  public void check(Connection conn) {
    OutboxSchema.of(BorrowedConnection.lent(conn))
        .tableName(table.toString())
        .withJoins(joinTableName())
        .require();
  }

  @Override
  public void insert(Connection conn, NewJoin join) {
    Statements sql = statements(conn);
    Duration deadline = join.deadline();
    Parameters parameters =
        sql.parameters()
            .text("join", join.id().value())
            .text("grouping_key", join.groupingKey())
            .number("expected", join.expectedSteps())
            .text("metadata", join.metadata())
            .number("deadline", deadline == null ? -1 : Parameters.micros(deadline));
    sql.update(conn, "insert_join", parameters);
  }

  @Override
  public Settlement attach(Connection conn, JoinIdentifier join, Collection<String> messageIds) {
    JoinSteps steps = new JoinSteps(statements(conn));
    return atomic(conn, () -> steps.attach(conn, join, messageIds));
  }

  @Override
  public Settlement report(Connection conn, JoinIdentifier join, String messageId, StepStatus end) {
    JoinSteps steps = new JoinSteps(statements(conn));
    return atomic(conn, () -> steps.report(conn, join, messageId, end));
  }

  @Override
  public Settlement settle(Connection conn, Collection<String> messageIds, StepStatus end) {
    return atomic(conn, () -> new JoinProgress(statements(conn)).settle(conn, messageIds, end));
  }

  @Override
  public Settlement end(Connection conn, JoinIdentifier join, JoinStatus end) {
    JoinProgress progress = new JoinProgress(statements(conn));
    return atomic(conn, () -> progress.end(conn, List.of(progress.lock(conn, join)), end));
  }

  @Override
  public void addWait(Connection conn, JoinIdentifier join, String messageId) {
    Statements sql = statements(conn);
    sql.update(conn, "insert_wait", new JoinProgress(sql).step(join, messageId));
  }

  @Override
  public Optional<Join> find(Connection conn, JoinIdentifier join) {
    return new JoinProgress(statements(conn)).find(conn, join).map(JoinRows.Read::join);
  }

  @Override
  public Optional<Locked> lock(Connection conn, JoinIdentifier join) {
    JoinProgress progress = new JoinProgress(statements(conn));
    return progress.lock(conn, new TreeSet<>(Set.of(join.value()))).values().stream()
        .findFirst()
        .map(
            read -> {
              if (!read.isOverdue()) {
                return new Locked(read.join(), read.untilDeadline(), Settlement.NOTHING);
              }
              Settlement failed = progress.end(conn, List.of(read), JoinStatus.FAILED);
              return new Locked(failed.ended().get(0), Duration.ZERO, failed);
            });
  }

  @Override
  public List<Join> findByGroupingKey(Connection conn, String groupingKey, int limit) {
    Statements sql = statements(conn);
    Parameters parameters =
        sql.parameters().text("grouping_key", groupingKey).number("limit", limit);
    return sql.query(conn, "find_joins_by_key", parameters, new JoinRows(sql.dialect())::join);
  }

  @Override
  public List<JoinStep> steps(Connection conn, JoinIdentifier join, @Nullable StepStatus status) {
    Statements sql = statements(conn);
    Parameters parameters =
        sql.parameters()
            .text("join", join.value())
            .number("lowest", status == null ? StepStatus.PENDING.code() : status.code())
            .number("highest", status == null ? StepStatus.FAILED.code() : status.code());
    return sql.query(conn, "members", parameters, new JoinRows(sql.dialect())::step);
  }

  @Override
  public Settlement failOverdue(Connection conn, int limit) {
    Statements sql = statements(conn);
    JoinRows rows = new JoinRows(sql.dialect());
    Parameters parameters = sql.parameters().number("limit", limit);
    return atomic(
        conn,
        () ->
            new JoinProgress(sql)
                .end(
                    conn,
                    sql.query(conn, "lock_overdue", parameters, rows::read),
                    JoinStatus.FAILED));
  }

  @Override
  public int purge(Connection conn, Duration retention, int limit) {
    Statements sql = statements(conn);
    Parameters parameters =
        sql.parameters().duration("retention", retention).number("limit", limit);
    return atomic(
        conn,
        () -> {
          List<String> old = new ArrayList<>();
          int steps = 0;
          for (Purgeable each : sql.query(conn, "lock_purgeable", parameters, Purgeable::of)) {
            if (old.isEmpty() || steps + each.steps <= MOST_STEPS_PURGED) {
              old.add(each.join);
              steps += each.steps;
            }
          }
          return old.isEmpty() ? 0 : JoinStatements.stepFlip(sql).delete(conn, old);
        });
  }

  private record Purgeable(String join, int steps) {
    static Purgeable of(ResultSet row) throws SQLException {
      return new Purgeable(row.getString("join_id"), row.getInt("expected_steps"));
    }
  }

  private <T> T atomic(Connection conn, Supplier<T> work) {
    return OwnTransaction.of(conn, statements(conn).dialect(), work);
  }

  private Statements statements(Connection conn) {
    Statements found = statements;
    if (found == null) {
      found =
          JoinStatements.of(Dialects.of(requireNonNull(conn, "conn")), table, joins, nowExpression);
      statements = found;
    }
    return found;
  }
}
