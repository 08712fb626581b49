package outbox.join;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.Joins;
import outbox.PayloadCodec;
import outbox.internal.text.LogText;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.JoinStep;
import outbox.model.MessageId;
import outbox.model.StepStatus;
import outbox.spi.ConnectionProvider;
import outbox.spi.JoinStore;
import outbox.spi.JoinStore.Settlement;
import outbox.spi.LeasedEventStore;

/**
 * The joins of the messages in one event store. {@link #plan} does everything in one expression and
 * one transaction. Thread-safe.
 */
public final class JoinCoordinator implements Joins {
  /** The topic of wait messages by default: {@value}. */
  public static final String DEFAULT_WAIT_TOPIC = "join.wait";

  private static final Logger LOG = System.getLogger(JoinCoordinator.class.getName());
  private static final int MAX_FOUND = 1_000;

  private final Builder setup;
  private final JoinTracker tracker;
  private final JoinStore store;
  private final Transactions transactions;

  private JoinCoordinator(Builder setup, Transactions transactions) {
    this.setup = setup;
    this.tracker = setup.tracker;
    this.store = tracker.store();
    this.transactions = transactions;
  }

  /** Joins of the messages in this event store, which must have been given the tracker as hook. */
  public static Builder builder(
      ConnectionProvider connections, LeasedEventStore events, JoinTracker tracker) {
    return new Builder(connections, events, tracker);
  }

  @Override
  public JoinCoordinator in(Connection connection) {
    return new JoinCoordinator(setup, transactions.in(requireNonNull(connection, "connection")));
  }

  /** The handler of the wait messages, to be registered where messages are handled. */
  public JoinWaitHandler waitHandler() {
    return new JoinWaitHandler(setup.waitTopic, tracker, setup.inserts);
  }

  /** Starts, enqueues the steps, attaches and waits: all of it, or none. */
  public JoinPlan plan() {
    return new JoinPlan(this, setup.codec);
  }

  @Override
  public JoinIdentifier startJoin(
      @Nullable String groupingKey,
      int expectedSteps,
      @Nullable String metadata,
      @Nullable Duration deadline) {
    JoinIdentifier id = JoinIdentifier.next();
    NewJoinRules rules = new NewJoinRules(groupingKey, expectedSteps, metadata, deadline);
    transactions.call(
        connection -> {
          store.insert(connection, rules.toJoin(id));
          return id;
        });
    LOG.log(
        Level.INFO,
        "join started join={0} groupingKey={1} expectedSteps={2}",
        id,
        LogText.of(String.valueOf(rules.groupingKey())),
        String.valueOf(expectedSteps));
    return id;
  }

  @Override
  public MessageId enqueueStep(JoinIdentifier join, EventEnvelope message) {
    requireNonNull(join, "join");
    requireNonNull(message, "message");
    return together(
        connection -> {
          requireJoin(connection, join, "start it before you enqueue its steps");
          MessageId id = insert(connection, List.of(message)).get(0);
          in(connection).attach(join, id);
          return id;
        });
  }

  @Override
  public void attachAll(JoinIdentifier join, Collection<MessageId> messages) {
    requireNonNull(join, "join");
    List<String> ids = messages.stream().map(MessageId::value).toList();
    settled(connection -> store.attach(connection, join, ids));
    LOG.log(Level.DEBUG, "attached join={0} messages={1}", join, LogText.of(ids.toString()));
  }

  @Override
  public void reportStepCompleted(JoinIdentifier join, MessageId message) {
    report(join, message, StepStatus.COMPLETED);
  }

  @Override
  public void reportStepFailed(JoinIdentifier join, MessageId message) {
    report(join, message, StepStatus.FAILED);
  }

  private void report(JoinIdentifier join, MessageId message, StepStatus end) {
    requireNonNull(join, "join");
    requireNonNull(message, "message");
    settled(connection -> store.report(connection, join, message.value(), end));
  }

  @Override
  public MessageId enqueueJoinWait(
      JoinIdentifier join,
      boolean failIfAnyStepFailed,
      String onCompleteTopic,
      String onCompletePayload,
      @Nullable String onFailTopic,
      @Nullable String onFailPayload) {
    JoinWait wait =
        new JoinWait(
            join,
            failIfAnyStepFailed,
            onCompleteTopic,
            onCompletePayload,
            onFailTopic,
            onFailPayload);
    EventEnvelope message = wait.toMessage(setup.waitTopic);
    return together(
        connection -> {
          requireJoin(connection, join, "start it before you wait for it");
          store.addWait(connection, join, message.eventId());
          return insert(connection, List.of(message)).get(0);
        });
  }

  private void requireJoin(Connection connection, JoinIdentifier join, String wayOut) {
    if (store.find(connection, join).isEmpty()) {
      throw new IllegalStateException("join " + join + " does not exist; " + wayOut);
    }
  }

  List<MessageId> insert(Connection connection, List<EventEnvelope> messages) {
    return messages.isEmpty() ? List.of() : setup.inserts.insert(connection, messages);
  }

  @Override
  public boolean cancelJoin(JoinIdentifier join) {
    requireNonNull(join, "join");
    return !settled(connection -> store.end(connection, join, JoinStatus.CANCELLED))
        .ended()
        .isEmpty();
  }

  @Override
  public Optional<Join> find(JoinIdentifier join) {
    requireNonNull(join, "join");
    return transactions.call(connection -> store.find(connection, join));
  }

  @Override
  public List<Join> findByGroupingKey(String groupingKey) {
    requireNonNull(groupingKey, "groupingKey");
    return transactions.call(
        connection -> store.findByGroupingKey(connection, groupingKey, MAX_FOUND));
  }

  @Override
  public List<JoinStep> steps(JoinIdentifier join) {
    requireNonNull(join, "join");
    return transactions.call(connection -> store.steps(connection, join, null));
  }

  @Override
  public List<JoinStep> missingSteps(JoinIdentifier join) {
    requireNonNull(join, "join");
    return transactions.call(connection -> store.steps(connection, join, StepStatus.PENDING));
  }

  <T> T together(Function<Connection, T> work) {
    return transactions.together(work);
  }

  private Settlement settled(Function<Connection, Settlement> change) {
    AfterCommit<Settlement> done =
        transactions.call(
            connection -> {
              Settlement settlement = change.apply(connection);
              return new AfterCommit<>(settlement, tracker.announcement(connection, settlement));
            });
    done.action.run();
    return done.result;
  }

  private record AfterCommit<T>(T result, Runnable action) {}

  /** Collects the parts of a coordinator. Not thread-safe. */
  public static final class Builder {
    private final ConnectionProvider connections;
    private final JoinTracker tracker;
    private MessageInsert inserts;
    private String waitTopic = DEFAULT_WAIT_TOPIC;
    private PayloadCodec codec = PayloadCodec.onClassPath();

    private Builder(ConnectionProvider connections, LeasedEventStore events, JoinTracker tracker) {
      this.connections = requireNonNull(connections, "connections");
      this.inserts = MessageInsert.into(requireNonNull(events, "events"));
      this.tracker = requireNonNull(tracker, "tracker");
    }

    /** Another way to store steps, waits and continuations, such as one that starts them sooner. */
    public Builder inserts(MessageInsert inserts) {
      this.inserts = requireNonNull(inserts, "inserts");
      return this;
    }

    /** The topic of wait messages; {@value #DEFAULT_WAIT_TOPIC} by default. */
    public Builder waitTopic(String waitTopic) {
      EventEnvelope.ofJson(requireNonNull(waitTopic, "waitTopic"), "");
      this.waitTopic = waitTopic;
      return this;
    }

    /** Writes payloads of plans that are given as objects, instead of the one on the class path. */
    public Builder codec(PayloadCodec codec) {
      this.codec = requireNonNull(codec, "codec");
      return this;
    }

    /** Builds the coordinator. */
    public JoinCoordinator build() {
      return new JoinCoordinator(this, new Transactions(connections, tracker.txContext()));
    }
  }
}
