package outbox;

import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.Outbox.Enqueued;
import outbox.model.MessageId;
import outbox.spi.LeasedEventStore;
import outbox.spi.TxContext;

/** Puts messages into the queue and wakes whoever claims them. */
final class QueueProducer {
  private final QueueConnections connections;
  private final LeasedEventStore store;
  private final @Nullable TxContext txContext;
  private final Runnable onCommit;
  private final Runnable onUnseenCommit;
  private final int maxPayloadBytes;
  private final QueueLog log;

  QueueProducer(OutboxBuilder setup, QueueConnections connections, QueueLog log) {
    this.connections = connections;
    this.store = setup.store;
    this.txContext = setup.txContext;
    this.onCommit = setup.onCommit;
    this.onUnseenCommit = setup.onUnseenCommit;
    this.maxPayloadBytes = setup.maxPayloadBytes;
    this.log = log;
  }

  EventEnvelope message(
      String topic, String payload, @Nullable String correlationId, @Nullable Instant dueTime) {
    return EventEnvelope.builder(EnvelopeRules.topic(topic))
        .payloadJson(EnvelopeRules.given("payload", payload))
        .correlationId(correlationId)
        .dueAt(dueTime)
        .maxPayloadBytes(maxPayloadBytes)
        .build();
  }

  /** In the thread's transaction, or in one of its own. */
  List<Enqueued> enqueue(List<EventEnvelope> all) {
    boolean due = isAnyDue(all);
    if (txContext != null && txContext.isTransactionActive()) {
      insert(QueueConnections.inTransaction(txContext.currentConnection()), all);
      if (due) {
        txContext.afterCommit(onCommit);
      }
    } else if (!all.isEmpty()) {
      connections.call(connection -> insert(connection, all));
      if (due) {
        onCommit.run();
      }
    }
    return enqueued(all);
  }

  /** In the connection's transaction. */
  List<Enqueued> enqueue(Connection connection, List<EventEnvelope> all) {
    insert(QueueConnections.inTransaction(connection), all);
    if (isAnyDue(all)) {
      onUnseenCommit.run();
    }
    return enqueued(all);
  }

  /** An enqueue and what belongs to it, in the thread's transaction or in one of its own. */
  <T> T together(Function<Connection, T> work) {
    if (txContext != null && txContext.isTransactionActive()) {
      T result = work.apply(txContext.currentConnection());
      txContext.afterCommit(onCommit);
      return result;
    }
    T result =
        connections.call(
            connection -> store.inTransaction(connection, () -> work.apply(connection)));
    onCommit.run();
    return result;
  }

  private List<EventEnvelope> insert(Connection connection, List<EventEnvelope> messages) {
    if (messages.size() == 1) {
      store.insertNew(connection, messages.get(0));
    } else if (!messages.isEmpty()) {
      store.insertAll(connection, messages);
    }
    return messages;
  }

  /** By this process's clock, which only decides whether to wake somebody. */
  private static boolean isAnyDue(List<EventEnvelope> messages) {
    Instant now = Instant.now();
    return messages.stream()
        .map(EventEnvelope::dueAt)
        .anyMatch(dueAt -> dueAt == null || !dueAt.isAfter(now));
  }

  private List<Enqueued> enqueued(List<EventEnvelope> messages) {
    log.enqueued(messages);
    return messages.stream()
        .map(message -> new Enqueued(new MessageId(message.eventId())))
        .toList();
  }
}
