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
 * Fan-in: starts joins, makes messages their steps and waits for them. A step counts as soon as its
 * message is acknowledged or failed, in the same transaction; handlers know nothing of it.
 * Thread-safe.
 *
 * <p><b>Transactions.</b> Each method joins the thread's transaction, if the tracker knows of one,
 * and otherwise commits by itself. The coordinator that {@link #in} returns joins the transaction
 * of a connection, and neither commits nor rolls back. {@link #plan} does everything in one
 * expression and one transaction.
 *
 * <p>Who attaches several existing messages in one transaction does it by one {@link #attachAll},
 * which takes their locks in order.
 */
public final class JoinCoordinator {
  /** The topic of wait messages by default: {@value}. */
  public static final String DEFAULT_WAIT_TOPIC = "join.wait";

  /** The longest grouping key: {@value} characters. */
  public static final int MAX_GROUPING_KEY_LENGTH = 255;

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

  /** The same joins, for calls that are part of the connection's transaction. */
  public JoinCoordinator in(Connection connection) {
    return new JoinCoordinator(setup, transactions.in(requireNonNull(connection, "connection")));
  }

  /** The handler of the wait messages, to be registered where messages are handled. */
  public JoinWaitHandler waitHandler() {
    return new JoinWaitHandler(setup.waitTopic, tracker, setup.inserts);
  }

  /** Starts, enqueues the steps, attaches and waits: all of it, or none. */
  public JoinPlan plan() {
    return new JoinPlan(this);
  }

  /** Starts a join without a deadline. */
  public JoinIdentifier startJoin(
      @Nullable String groupingKey, int expectedSteps, @Nullable String metadata) {
    return startJoin(groupingKey, expectedSteps, metadata, null);
  }

  /** The same for a numeric tenant, whose number is the grouping key. */
  public JoinIdentifier startJoin(long tenantId, int expectedSteps, @Nullable String metadata) {
    return startJoin(String.valueOf(tenantId), expectedSteps, metadata);
  }

  /**
   * Starts a join.
   *
   * @param groupingKey what it belongs to, at most {@value #MAX_GROUPING_KEY_LENGTH} characters;
   *     null or empty for nothing
   * @param expectedSteps how many messages must end, at least 1
   * @param metadata the caller's own, not interpreted
   * @param deadline how long it may stay pending before it fails; null for ever
   * @throws IllegalArgumentException if a value breaks its rule
   */
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
        rules.groupingKey(),
        String.valueOf(expectedSteps));
    return id;
  }

  /**
   * Makes a message a step of the join; doing it again changes nothing. If the message has ended
   * already, so has the step.
   *
   * @throws IllegalStateException if the join or the message does not exist
   */
  public void attach(JoinIdentifier join, MessageId message) {
    attachAll(join, List.of(requireNonNull(message, "message")));
  }

  /** Attaches many messages, all or none. */
  public void attachAll(JoinIdentifier join, Collection<MessageId> messages) {
    requireNonNull(join, "join");
    List<String> ids = messages.stream().map(MessageId::value).toList();
    settled(connection -> store.attach(connection, join, ids));
    LOG.log(Level.DEBUG, "attached join={0} messages={1}", join, ids);
  }

  /**
   * Marks a step as completed. Advanced: the acknowledgement of the message does it by itself, and
   * handlers must not call this.
   *
   * @throws IllegalStateException if the join does not exist or the message is no step of it
   */
  public void reportStepCompleted(JoinIdentifier join, MessageId message) {
    report(join, message, StepStatus.COMPLETED);
  }

  /** Marks a step as failed; see {@link #reportStepCompleted}. */
  public void reportStepFailed(JoinIdentifier join, MessageId message) {
    report(join, message, StepStatus.FAILED);
  }

  private void report(JoinIdentifier join, MessageId message, StepStatus end) {
    requireNonNull(join, "join");
    requireNonNull(message, "message");
    settled(connection -> store.report(connection, join, message.value(), end));
  }

  /**
   * Enqueues a message that waits for the join and then enqueues one of two others.
   *
   * @param failIfAnyStepFailed whether a join with a failed step goes on by {@code onFail}; if not,
   *     it goes on by {@code onComplete} once all steps have ended. A cancelled join, and one past
   *     its deadline, goes on by {@code onFail} in any case
   * @param onFailTopic null to go on with nothing
   * @param onFailPayload null for an empty one
   * @return the id of the wait message
   * @throws IllegalStateException if the join does not exist
   * @throws IllegalArgumentException if a continuation could not be enqueued
   */
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
    return transactions.together(
        connection -> {
          if (store.find(connection, join).isEmpty()) {
            throw new IllegalStateException(
                "join " + join + " does not exist; start it before you wait for it");
          }
          store.addWait(connection, join, message.eventId());
          return insert(connection, message);
        });
  }

  MessageId insert(Connection connection, EventEnvelope message) {
    return setup.inserts.insert(connection, message);
  }

  /**
   * Gives a join up: its steps no longer count, and what waits for it goes on by {@code onFail}.
   *
   * @return false if it had ended before
   * @throws IllegalStateException if the join does not exist
   */
  public boolean cancelJoin(JoinIdentifier join) {
    requireNonNull(join, "join");
    return !settled(connection -> store.end(connection, join, JoinStatus.CANCELLED))
        .ended()
        .isEmpty();
  }

  public Optional<Join> find(JoinIdentifier join) {
    requireNonNull(join, "join");
    return transactions.call(connection -> store.find(connection, join));
  }

  /** The newest joins of a grouping key, a thousand at the most. */
  public List<Join> findByGroupingKey(String groupingKey) {
    requireNonNull(groupingKey, "groupingKey");
    return transactions.call(
        connection -> store.findByGroupingKey(connection, groupingKey, MAX_FOUND));
  }

  /** All attached steps, by message id. */
  public List<JoinStep> steps(JoinIdentifier join) {
    requireNonNull(join, "join");
    return transactions.call(connection -> store.steps(connection, join, null));
  }

  /** The attached steps that have not ended yet, by message id. */
  public List<JoinStep> missingSteps(JoinIdentifier join) {
    requireNonNull(join, "join");
    return transactions.call(connection -> store.steps(connection, join, StepStatus.PENDING));
  }

  <T> T together(Function<Connection, T> work) {
    return transactions.together(work);
  }

  private Settlement settled(Function<Connection, Settlement> change) {
    Settlement settlement = transactions.call(change);
    tracker.announcement(settlement).run();
    return settlement;
  }

  /** Collects the parts of a coordinator. Not thread-safe. */
  public static final class Builder {
    private final ConnectionProvider connections;
    private final JoinTracker tracker;
    private MessageInsert inserts;
    private String waitTopic = DEFAULT_WAIT_TOPIC;

    private Builder(ConnectionProvider connections, LeasedEventStore events, JoinTracker tracker) {
      this.connections = requireNonNull(connections, "connections");
      requireNonNull(events, "events");
      this.tracker = requireNonNull(tracker, "tracker");
      this.inserts =
          (connection, message) ->
              new MessageId(events.insert(connection, message, null).orElse(message.eventId()));
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

    public JoinCoordinator build() {
      return new JoinCoordinator(this, new Transactions(connections, tracker.txContext()));
    }
  }
}
