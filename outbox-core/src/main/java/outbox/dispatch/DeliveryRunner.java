package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import outbox.EventListener;
import outbox.OutboxConfig;
import outbox.TransactionalEventListener;
import outbox.registry.ListenerRegistry;
import outbox.spi.LeasedEventStore;
import outbox.spi.MetricsExporter;
import outbox.spi.TransactionRunner;

/** Decides about one delivery and runs its listeners. Thread-safe; called by many workers. */
final class DeliveryRunner {
  private static final Logger LOG = System.getLogger(OutboxDispatcher.class.getName());
  private static final Duration PAUSE_AFTER_POLICY_ERROR = Duration.ofMinutes(1);
  private static final Duration UNHANDLED_WARNING_PERIOD = Duration.ofMinutes(1);
  private static final int MAX_UNHANDLED_TYPES = 1000;

  private final ListenerRegistry listeners;
  private final RetryPolicy retryPolicy;
  private final int maxAttempts;
  private final OutboxConfig config;
  private final MetricsExporter metrics;
  private final LeasedEventStore store;
  private final @Nullable TransactionRunner transactions;
  private final Map<String, Long> unhandledWarnings = new ConcurrentHashMap<>();

  DeliveryRunner(
      ListenerRegistry listeners,
      RetryPolicy retryPolicy,
      int maxAttempts,
      OutboxConfig config,
      MetricsExporter metrics,
      LeasedEventStore store,
      @Nullable TransactionRunner transactions) {
    this.listeners = listeners;
    this.retryPolicy = retryPolicy;
    this.maxAttempts = maxAttempts;
    this.config = config;
    this.metrics = metrics;
    this.store = store;
    this.transactions = transactions;
  }

  /** Runs the listeners, if they may run. */
  Result run(Delivery delivery) {
    if (delivery.leaseExpiries() >= config.getMaxLeaseExpiries()) {
      return dead(
          "poisoned: its lease ran out " + delivery.leaseExpiries() + " times while it ran");
    }
    Instant expiresAt = delivery.envelope().expiresAt();
    if (expiresAt != null && !Instant.now().isBefore(expiresAt)) {
      return dead("expired");
    }
    try {
      List<EventListener> matching = listeners.listenersFor(delivery.envelope().eventType());
      if (matching.isEmpty()) {
        return unhandled(delivery);
      }
      return matching.stream().anyMatch(TransactionalEventListener.class::isInstance)
          ? runInTransaction(delivery, matching)
          : runPlain(delivery, matching);
    } catch (LeaseLostException e) {
      return Result.LEASE_LOST;
    } catch (Throwable e) {
      return failed(delivery, e);
    }
  }

  private static Result runPlain(Delivery delivery, List<EventListener> matching) throws Exception {
    for (EventListener listener : matching) {
      listener.onEvent(delivery.envelope());
    }
    return Result.of(Outcome.DONE);
  }

  /**
   * The listeners' writes and the ack commit together, or the ack did not match and all roll back.
   */
  private Result runInTransaction(Delivery delivery, List<EventListener> matching)
      throws Exception {
    if (transactions == null) {
      throw new IllegalStateException(
          "a TransactionalEventListener needs a transaction; build the dispatcher with"
              + " transactions(…)");
    }
    transactions.run(
        connection -> {
          Connection guarded = GuardedConnection.of(connection);
          for (EventListener listener : matching) {
            if (listener instanceof TransactionalEventListener transactional) {
              transactional.onEvent(delivery.envelope(), guarded);
            } else {
              listener.onEvent(delivery.envelope());
            }
          }
          String owner = Objects.requireNonNull(delivery.hold().owner());
          List<String> id = List.of(delivery.id());
          if (!FencedChange.apply(
              store, connection, owner, delivery.id(), () -> store.ack(connection, owner, id))) {
            throw new LeaseLostException();
          }
        });
    return Result.ACKED;
  }

  private Result failed(Delivery delivery, Throwable error) {
    if (delivery.isCutShort()) {
      return Result.of(Outcome.RELEASE);
    }
    metrics.incrementDispatchFailure();
    LOG.log(
        Level.DEBUG, () -> "listener failed " + delivery + " with=" + error.getClass().getName());
    String text = Errors.describe(error);
    int deliveries = delivery.attempts() + 1;
    if (deliveries >= maxAttempts) {
      return Result.of(
          new Outcome.Dead(
              "failed " + deliveries + " times, last with " + error.getClass().getName(), text));
    }
    return Result.of(new Outcome.Retry(delayAfter(deliveries), text));
  }

  private Duration delayAfter(int attempts) {
    try {
      return Duration.ofMillis(Math.max(0, retryPolicy.computeDelayMs(attempts)));
    } catch (RuntimeException e) {
      LOG.log(
          Level.ERROR, "retryPolicy failed, waiting " + PAUSE_AFTER_POLICY_ERROR + " instead", e);
      return PAUSE_AFTER_POLICY_ERROR;
    }
  }

  private Result unhandled(Delivery delivery) {
    String type = delivery.envelope().eventType();
    Duration age = Duration.between(delivery.createdAt(), Instant.now());
    if (age.compareTo(config.getUnhandledMaxAge()) >= 0) {
      return dead("no listener for its event type");
    }
    if (isWarningDue(type)) {
      LOG.log(
          Level.WARNING,
          "no listener here for type={0}; its events are left to other nodes for unhandledDelay={1}"
              + " and end DEAD at unhandledMaxAge={2}",
          type,
          config.getUnhandledDelay(),
          config.getUnhandledMaxAge());
    }
    return Result.of(new Outcome.Defer(config.getUnhandledDelay()));
  }

  private boolean isWarningDue(String type) {
    long now = System.nanoTime();
    boolean[] due = {false};
    if (unhandledWarnings.size() > MAX_UNHANDLED_TYPES) {
      unhandledWarnings.clear();
    }
    unhandledWarnings.compute(
        type,
        (key, last) -> {
          due[0] = last == null || now - last >= UNHANDLED_WARNING_PERIOD.toNanos();
          return due[0] ? now : last;
        });
    return due[0];
  }

  private static Result dead(String reason) {
    return Result.of(new Outcome.Dead(reason, reason));
  }

  /**
   * What a run came to: an outcome to store, one that is stored already, or a lease that is gone.
   */
  record Result(@Nullable Outcome outcome, boolean acked) {
    static final Result ACKED = new Result(Outcome.DONE, true);
    static final Result LEASE_LOST = new Result(null, false);

    static Result of(Outcome outcome) {
      return new Result(outcome, false);
    }
  }

  /** Rolls the listener's transaction back, because its ack matched no row. */
  private static final class LeaseLostException extends Exception {
    private static final long serialVersionUID = 1L;
  }
}
