package outbox.jdbc.model;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.Joins;
import outbox.contracts.store.EventStoreContract.Row;
import outbox.join.JoinCoordinator;
import outbox.join.JoinTracker;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.MessageId;
import outbox.spi.ConnectionProvider;
import outbox.spi.JoinStore;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.ClaimedEvent;
import outbox.spi.LeasedEventStore.Failure;
import outbox.spi.StoreException;
import outbox.spi.TerminalHook;

/** The joins under test, on stores for which time stands still. A join's name is its key. */
abstract class StoredJoins implements JoinBook, AutoCloseable {
  static final String ME = "me";
  static final Duration FOR_EVER = Duration.ofDays(3_000);
  static final Duration PARKED = Duration.ofMinutes(5);
  private static final int ALL = 1_000;

  private final TreeSet<String> names = new TreeSet<>();
  private Instant now = START;
  private @Nullable FailingConnections failing;
  private @Nullable Stores stores;

  private record Stores(LeasedEventStore events, JoinStore joinStore, JoinCoordinator joins) {}

  /** In auto-commit mode. */
  abstract ConnectionProvider connections();

  abstract JoinStore joinStoreAt(Instant now);

  abstract LeasedEventStore eventsAt(Instant now, TerminalHook hook);

  /** Every message by its id, read without the store. */
  abstract Map<String, Row> messages();

  abstract void clear();

  @Override
  public abstract void close();

  final void startAfresh() {
    clear();
    names.clear();
    now = START;
    stores = null;
    failing = null;
  }

  private FailingConnections failing() {
    FailingConnections present = failing;
    if (present == null) {
      present = new FailingConnections(connections());
      failing = present;
    }
    return present;
  }

  private Stores stores() {
    Stores present = stores;
    if (present == null) {
      JoinStore joinStore = joinStoreAt(now);
      JoinTracker tracker = new JoinTracker(joinStore);
      LeasedEventStore events = eventsAt(now, tracker);
      present =
          new Stores(
              events, joinStore, JoinCoordinator.builder(failing(), events, tracker).build());
      stores = present;
    }
    return present;
  }

  @Override
  public final void failsBy(@Nullable Fault fault) {
    failing().failBy(fault);
  }

  @Override
  public final Instant tick(Duration by) {
    now = now.plus(by);
    stores = null;
    return now;
  }

  @Override
  public final Object enqueue(Collection<String> messages) {
    List<EventEnvelope> events = messages.stream().map(StoredJoins::message).toList();
    return inTransaction(
        false,
        connection -> {
          events.forEach(event -> stores().events().insert(connection, event, null));
          return DONE;
        });
  }

  private static EventEnvelope message(String id) {
    return EventEnvelope.builder("Step").eventId(id).payloadJson("{}").build();
  }

  @Override
  public final Object claim(Collection<String> messages) {
    return sorted(
        failing().inAutoCommit(c -> stores().events().claimById(c, ME, FOR_EVER, messages)).stream()
            .map(StoredJoins::id)
            .toList());
  }

  private static String id(ClaimedEvent claimed) {
    return claimed.event().eventId();
  }

  @Override
  public final Object ack(Collection<String> messages) {
    return sorted(failing().inAutoCommit(c -> stores().events().ack(c, ME, messages)));
  }

  @Override
  public final Object fail(Collection<String> messages) {
    List<Failure> failures =
        messages.stream().distinct().map(id -> new Failure(id, Duration.ZERO, "broken")).toList();
    return sorted(failing().inAutoCommit(c -> stores().events().fail(c, ME, failures)));
  }

  private static Set<String> sorted(Collection<String> ids) {
    return new TreeSet<>(ids);
  }

  @Override
  public final Object start(String join, int expectedSteps, int deadlineSeconds) {
    names.add(join);
    Duration deadline = deadlineSeconds == 0 ? null : Duration.ofSeconds(deadlineSeconds);
    stores().joins().startJoin(join, expectedSteps, null, deadline);
    return DONE;
  }

  @Override
  public final Object attach(String join, Collection<String> messages, boolean rolledBack) {
    List<MessageId> ids = messages.stream().map(MessageId::new).toList();
    return change(
        rolledBack,
        joins -> {
          joins.attachAll(id(join), ids);
          return DONE;
        });
  }

  @Override
  public final Object report(String join, String message, boolean completed, boolean rolledBack) {
    return change(
        rolledBack,
        joins -> {
          if (completed) {
            joins.reportStepCompleted(id(join), new MessageId(message));
          } else {
            joins.reportStepFailed(id(join), new MessageId(message));
          }
          return DONE;
        });
  }

  @Override
  public final Object cancel(String join, boolean rolledBack) {
    return change(rolledBack, joins -> joins.cancelJoin(id(join)));
  }

  /** In a transaction that is rolled back, or in the product's own. */
  private Object change(boolean rolledBack, Function<Joins, Object> change) {
    try {
      return rolledBack
          ? inTransaction(true, c -> change.apply(stores().joins().in(c)))
          : change.apply(stores().joins());
    } catch (IllegalStateException e) {
      return REFUSED;
    }
  }

  @Override
  public final Object await(String join, String message) {
    JoinIdentifier id = id(join);
    return inTransaction(
        false,
        c -> {
          if (stores().joinStore().find(c, id).isEmpty()) {
            return REFUSED;
          }
          stores().joinStore().addWait(c, id, message);
          stores().events().insert(c, message(message), null);
          stores().events().claimById(c, ME, FOR_EVER, List.of(message));
          stores().events().defer(c, ME, List.of(message), PARKED);
          return DONE;
        });
  }

  @Override
  public final Object failOverdue() {
    return failing().inAutoCommit(c -> stores().joinStore().failOverdue(c, ALL)).ended().size();
  }

  @Override
  public final Object purge(Duration retention) {
    return failing().inAutoCommit(c -> stores().joinStore().purge(c, retention, ALL));
  }

  private <T> T inTransaction(boolean rolledBack, Function<Connection, T> work) {
    try (Connection connection = failing().getConnection()) {
      connection.setAutoCommit(false);
      try {
        T result = work.apply(connection);
        if (rolledBack) {
          connection.rollback();
        } else {
          connection.commit();
        }
        return result;
      } catch (SQLException | RuntimeException e) {
        rollBack(connection, e);
        throw e;
      }
    } catch (SQLException e) {
      throw new StoreException("model", e);
    }
  }

  static void rollBack(Connection connection, Exception cause) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }

  /** Read past the faults; one that no message has for an unknown name. */
  private JoinIdentifier id(String name) {
    return find(name).map(Join::id).orElse(new JoinIdentifier("unknown"));
  }

  private Optional<Join> find(String name) {
    return connections()
        .inAutoCommit(c -> stores().joinStore().findByGroupingKey(c, name, 1))
        .stream()
        .findFirst();
  }

  @Override
  public final Map<String, String> rows() {
    Map<String, String> rows = new TreeMap<>();
    messages()
        .forEach(
            (id, row) ->
                rows.put(
                    "message " + id,
                    JoinModel.messageText(row.status(), row.owner(), row.availableAt())));
    names.forEach(name -> find(name).ifPresent(join -> addJoin(rows, name, join)));
    return rows;
  }

  private void addJoin(Map<String, String> rows, String name, Join join) {
    rows.put(
        "join " + name,
        JoinModel.joinText(
            join.status(),
            join.completedSteps(),
            join.failedSteps(),
            join.expectedSteps(),
            join.lastUpdatedAt(),
            join.deadline()));
    connections()
        .inAutoCommit(c -> stores().joinStore().steps(c, join.id(), null))
        .forEach(
            step ->
                rows.put(
                    "step " + name + " " + step.messageId().value(), step.status().toString()));
  }
}
