package outbox.join;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.HandlerContext;
import outbox.HandlerResult;
import outbox.OutboxMessage;
import outbox.PermanentFailureException;
import outbox.TransactionalOutboxHandler;
import outbox.internal.handler.InternalHandler;
import outbox.internal.text.LogText;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.spi.JoinStore;
import outbox.spi.JoinStore.Locked;

/**
 * Handles the wait messages: enqueues the continuation once the join has ended, and parks until
 * then. Continuation and end of the wait commit together, so a wait has one continuation at the
 * most. Thread-safe; comes from {@link JoinCoordinator#waitHandler}.
 *
 * <p>While the join is pending, its lock is held until the wait is parked, so the join cannot end
 * in between; what ends it makes the wait due at once. The look every {@link #LONGEST_PARK} is for
 * safety only.
 */
@SuppressWarnings("exports") // the mark of the library's own handlers is nothing to users
public final class JoinWaitHandler implements TransactionalOutboxHandler, InternalHandler {
  /** How long a wait is parked at the most before it looks again. */
  public static final Duration LONGEST_PARK = Duration.ofSeconds(60);

  private static final Logger LOG = System.getLogger(JoinWaitHandler.class.getName());

  private final String topic;
  private final JoinTracker tracker;
  private final MessageInsert inserts;

  JoinWaitHandler(String topic, JoinTracker tracker, MessageInsert inserts) {
    this.topic = topic;
    this.tracker = tracker;
    this.inserts = inserts;
  }

  @Override
  public String topic() {
    return topic;
  }

  @Override
  public HandlerResult handle(
      OutboxMessage message, HandlerContext context, Connection connection) {
    return handle(requireNonNull(message, "message"), requireNonNull(connection, "connection"));
  }

  HandlerResult handle(OutboxMessage message, Connection connection) {
    JoinWait wait = parsed(message);
    JoinStore store = tracker.store();
    Join join = store.find(connection, wait.joinId()).orElseThrow(() -> unknown(wait.joinId()));
    if (!join.status().isFinal()) {
      Locked locked =
          store.lock(connection, wait.joinId()).orElseThrow(() -> unknown(wait.joinId()));
      tracker.announcement(connection, locked.settlement()).run();
      join = locked.join();
      if (!join.status().isFinal()) {
        Duration park = park(locked.untilDeadline());
        LOG.log(Level.DEBUG, "join pending, wait parked join={0} for={1}", join.id(), park);
        return HandlerResult.deferred(park);
      }
    }
    goOn(message, wait, join, connection);
    return HandlerResult.done();
  }

  private void goOn(OutboxMessage message, JoinWait wait, Join join, Connection connection) {
    Optional<EventEnvelope> continuation = wait.continuation(message.id(), join);
    continuation.ifPresent(next -> inserts.insert(connection, List.of(next)));
    LOG.log(
        Level.DEBUG,
        "join {0}, continuing join={1} with={2}",
        join.status(),
        join.id(),
        LogText.of(continuation.map(EventEnvelope::eventType).orElse("nothing")));
  }

  private static JoinWait parsed(OutboxMessage message) {
    try {
      return JoinWait.parse(message.payload());
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new PermanentFailureException(
          "message " + message.id() + " is no join wait: " + e.getMessage(), e);
    }
  }

  private static PermanentFailureException unknown(JoinIdentifier join) {
    return new PermanentFailureException("join " + join + " does not exist");
  }

  private static Duration park(@Nullable Duration untilDeadline) {
    return untilDeadline == null || untilDeadline.compareTo(LONGEST_PARK) > 0
        ? LONGEST_PARK
        : untilDeadline;
  }
}
