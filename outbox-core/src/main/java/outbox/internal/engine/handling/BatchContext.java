package outbox.internal.engine.handling;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.HandlerContext;
import outbox.HandlerResult;
import outbox.OutboxMessage;
import outbox.internal.batch.BatchedListener;
import outbox.internal.batch.MessageBatch;
import outbox.internal.engine.common.FailureTrace;
import outbox.internal.engine.common.LoggerNames;

/** A batch as its listener sees it, and what the listener says of each event. Thread-safe. */
final class BatchContext implements MessageBatch {
  private static final Logger LOG = System.getLogger(LoggerNames.DISPATCHER);

  private final List<EventEnvelope> events;
  private final List<OutboxMessage> messages;
  private final HandlerContext context;
  private final Set<String> ids;
  private final Map<String, Said> said = new ConcurrentHashMap<>();

  /** What a listener says of an event: done if both are null. */
  record Said(@Nullable Throwable failure, @Nullable Duration delay) {
    static final Said DONE = new Said(null, null);
  }

  BatchContext(List<OutboxMessage> messages, HandlerContext context) {
    this.messages = messages;
    this.events = messages.stream().map(OutboxMessage::envelope).toList();
    this.ids = new HashSet<>(events.size() * 2);
    events.forEach(event -> ids.add(event.eventId()));
    this.context = context;
  }

  /** A batch of one event, in the place of the event. */
  static BatchContext ofOne(OutboxMessage message, HandlerContext context) {
    return new BatchContext(List.of(message), context);
  }

  /**
   * Calls a listener with the one event of this batch.
   *
   * @param connection of the transaction; null if the listener is not transactional
   */
  HandlerResult handle(BatchedListener listener, @Nullable Connection connection) throws Exception {
    Throwable thrown = null;
    try {
      listener.body().handle(this, connection);
    } catch (Throwable e) {
      thrown = e;
    }
    Said outcome = of(events.get(0).eventId());
    if (thrown != null && (outcome == null || connection != null)) {
      throw asException(thrown);
    }
    if (outcome == null) {
      return HandlerResult.done();
    }
    if (thrown != null) {
      LOG.log(
          Level.ERROR,
          "listener failed after it had recorded an outcome for each event of a batch",
          FailureTrace.of(thrown));
    }
    if (outcome.failure() != null) {
      throw asException(outcome.failure());
    }
    return outcome.delay() == null ? HandlerResult.done() : HandlerResult.deferred(outcome.delay());
  }

  private static Exception asException(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    return thrown instanceof Exception exception ? exception : new Exception(thrown);
  }

  /** What the listener has said of an event so far; null if nothing. */
  @Nullable Said of(String eventId) {
    return said.get(eventId);
  }

  @Override
  public List<EventEnvelope> events() {
    return events;
  }

  @Override
  public List<OutboxMessage> messages() {
    return messages;
  }

  @Override
  public void done(EventEnvelope event) {
    say(event, Said.DONE);
  }

  @Override
  public void failed(EventEnvelope event, Throwable cause) {
    say(event, new Said(requireNonNull(cause, "cause"), null));
  }

  @Override
  public void defer(EventEnvelope event, Duration delay) {
    if (requireNonNull(delay, "delay").isNegative()) {
      throw new IllegalArgumentException("delay (" + delay + ") must not be negative");
    }
    say(event, new Said(null, delay));
  }

  private void say(EventEnvelope event, Said outcome) {
    String id = requireNonNull(event, "event").eventId();
    if (!ids.contains(id)) {
      throw new IllegalArgumentException("event (" + id + ") must be one of this batch");
    }
    said.put(id, outcome);
  }

  @Override
  public boolean isCancelled() {
    return context.isCancelled();
  }

  @Override
  public void onCancel(Runnable action) {
    context.onCancel(action);
  }

  @Override
  public Duration leaseRemaining() {
    return context.leaseRemaining();
  }

  @Override
  public boolean renewLease() {
    return context.renewLease();
  }
}
