package outbox.internal.queue;

import java.sql.Connection;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.Outbox.Enqueued;
import outbox.PayloadCodec;
import outbox.internal.guard.JoinedTransaction;
import outbox.internal.queue.HotInserts.Stored;
import outbox.internal.text.EnvelopeRules;
import outbox.model.MessageId;
import outbox.spi.ConnectionProvider;
import outbox.spi.DueListener;
import outbox.spi.HotPath.Prepared;
import outbox.spi.LeasedEventStore;
import outbox.spi.Propagation;
import outbox.spi.TxContext;

/** Puts messages into the queue and wakes those who claim them. */
final class QueueProducer {
  private final ConnectionProvider connections;
  private final LeasedEventStore store;
  private final @Nullable TxContext txContext;
  private final Runnable onCommit;
  private final Runnable onUnseenCommit;
  private final DueListener onStoredForLater;
  private final Propagation propagation;
  private final int maxPayloadBytes;
  private final PayloadCodec codec;
  private final QueueLog log;
  private final @Nullable HotInserts hotInserts;

  QueueProducer(QueueSettings setup, ConnectionProvider connections, QueueLog log) {
    this.connections = connections;
    this.store = setup.store;
    this.txContext = setup.txContext;
    this.onCommit = setup.onCommit;
    this.onUnseenCommit = setup.onUnseenCommit;
    this.onStoredForLater = setup.onStoredForLater;
    this.propagation = setup.propagation;
    this.maxPayloadBytes = setup.maxPayloadBytes;
    this.codec = setup.codec;
    this.log = log;
    this.hotInserts = setup.hotInserts;
  }

  EventEnvelope message(String topic, Object payload, Consumer<EventEnvelope.Builder> facts) {
    if (payload == null) {
      throw new IllegalArgumentException("payload must not be null");
    }
    EventEnvelope.Builder message =
        EventEnvelope.builder(EnvelopeRules.topic(topic))
            .maxPayloadBytes(maxPayloadBytes)
            .payload(payload, codec);
    facts.accept(message);
    return message.build();
  }

  /** In the thread's transaction, or in one of its own. */
  List<Enqueued> enqueue(List<EventEnvelope> all) {
    List<Enqueued> enqueued = List.of();
    if (hotInserts != null) {
      enqueued = all.isEmpty() ? enqueued : insertHot(hotInserts, all);
    } else if (txContext != null && txContext.isTransactionActive()) {
      enqueued = insert(JoinedTransaction.of(txContext.currentConnection(), "enqueue"), all);
      dueTimes(all, enqueued).forEach(due -> txContext.afterCommit(wakeUp(due, onCommit)));
    } else if (!all.isEmpty()) {
      enqueued = connections.inAutoCommit(connection -> insertAndAdvance(connection, all));
      dueTimes(all, enqueued).forEach(due -> wakeUp(due, onCommit).run());
    }
    log.enqueued(all, enqueued);
    return enqueued;
  }

  private List<Enqueued> insertHot(HotInserts inserts, List<EventEnvelope> messages) {
    MessageBatch batch = new MessageBatch(messages);
    Stored stored;
    if (txContext != null && txContext.isTransactionActive()) {
      Connection connection = JoinedTransaction.of(txContext.currentConnection(), "enqueue");
      List<Prepared> queued =
          inserts.path().prepareHot(batch.toInsert(), !txContext.seesSavepointRollbacks());
      stored = inserts.insertAll(connection, queued);
      inserts.handOverAfterCommit(txContext, stored.inserted());
    } else {
      List<Prepared> queued = inserts.path().prepareHot(batch.toInsert(), false);
      stored = connections.inAutoCommit(connection -> inserts.insertAll(connection, queued));
      stored.inserted().forEach(event -> inserts.handOver(event, false));
    }
    return batch.results(stored.existing());
  }

  /** In the connection's transaction. */
  List<Enqueued> enqueue(Connection connection, List<EventEnvelope> all) {
    List<Enqueued> enqueued = insert(JoinedTransaction.of(connection, "enqueue"), all);
    dueTimes(all, enqueued).forEach(due -> wakeUp(due, onUnseenCommit).run());
    log.enqueued(all, enqueued);
    return enqueued;
  }

  /** As the thread's transaction sees it, if there is one. */
  Optional<MessageId> findByKey(@Nullable String tenantId, String key) {
    return txContext != null && txContext.isTransactionActive()
        ? findByKey(txContext.currentConnection(), tenantId, key)
        : connections.inAutoCommit(connection -> findByKey(connection, tenantId, key));
  }

  Optional<MessageId> findByKey(Connection connection, @Nullable String tenantId, String key) {
    String valid = EnvelopeRules.idempotencyKey(key);
    return store
        .findByKey(connection, EnvelopeRules.keyTenant(tenantId), valid)
        .map(MessageId::new);
  }

  /** What is behind messages that have ended meanwhile is started. */
  private List<Enqueued> insertAndAdvance(Connection connection, List<EventEnvelope> messages) {
    List<Enqueued> enqueued = insert(connection, messages);
    List<String> keys = Ordering.keys(messages);
    if (!keys.isEmpty()) {
      Ordering.of(store).advance(connection, null, keys);
    }
    return enqueued;
  }

  private List<Enqueued> insert(Connection connection, List<EventEnvelope> messages) {
    if (!Ordering.keys(messages).isEmpty()) {
      Ordering.of(store);
    }
    MessageBatch batch = new MessageBatch(messages);
    List<EventEnvelope> rows =
        batch.toInsert().stream()
            .map(each -> each.withHeaders(propagation.headers(each.eventType())))
            .toList();
    Map<String, String> existing = Map.of();
    if (rows.size() == 1) {
      EventEnvelope only = rows.get(0);
      existing =
          store
              .insert(connection, only, null)
              .map(first -> Map.of(only.eventId(), first))
              .orElse(existing);
    } else if (!rows.isEmpty()) {
      existing = store.insertAll(connection, rows, null);
    }
    return batch.results(existing);
  }

  /**
   * When new messages are due, each time once; the beginning of time for all that are due now. What
   * is due by this process's clock may not be by the store's: then it is looked for again.
   */
  private static Set<Instant> dueTimes(List<EventEnvelope> messages, List<Enqueued> enqueued) {
    Instant now = Instant.now();
    Set<Instant> times = new HashSet<>();
    for (int i = 0; i < messages.size(); i++) {
      if (!enqueued.get(i).alreadyExisted()) {
        Instant dueAt = messages.get(i).dueAt();
        if (dueAt != null) {
          times.add(dueAt);
        }
        if (dueAt == null || !dueAt.isAfter(now)) {
          times.add(Instant.MIN);
        }
      }
    }
    return times;
  }

  private Runnable wakeUp(Instant due, Runnable now) {
    return due.equals(Instant.MIN) ? now : () -> onStoredForLater.dueAt(due);
  }
}
