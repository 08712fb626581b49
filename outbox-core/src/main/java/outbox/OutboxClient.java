package outbox;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import outbox.Outbox.Enqueued;
import outbox.dispatch.OutboxDispatcher;
import outbox.internal.guard.JoinedTransaction;
import outbox.internal.queue.DuplicateLog;
import outbox.internal.queue.HotInserts;
import outbox.internal.queue.HotInserts.Stored;
import outbox.internal.queue.MessageBatch;
import outbox.spi.EventStore;
import outbox.spi.HotPath.Prepared;
import outbox.spi.MetricsExporter;
import outbox.spi.TxContext;

/**
 * Publishes events as part of the business transaction: they are stored with it or not at all, and
 * delivered after its commit. Thread-safe.
 */
public final class OutboxClient {
  private final TxContext txContext;
  private final HotInserts inserts;
  private final PayloadCodec codec;

  /** Creates a client that writes objects by the codec on the class path. */
  public OutboxClient(
      TxContext txContext,
      EventStore eventStore,
      OutboxDispatcher dispatcher,
      MetricsExporter metrics) {
    this(txContext, eventStore, dispatcher, metrics, PayloadCodec.onClassPath());
  }

  /**
   * Creates a client with a codec of its own.
   *
   * @param codec writes the payloads that are given as objects
   */
  public OutboxClient(
      TxContext txContext,
      EventStore eventStore,
      OutboxDispatcher dispatcher,
      MetricsExporter metrics,
      PayloadCodec codec) {
    this.codec = requireNonNull(codec, "codec");
    this.txContext = requireNonNull(txContext, "txContext");
    requireNonNull(eventStore, "eventStore");
    if (!requireNonNull(dispatcher, "dispatcher").uses(eventStore)) {
      throw new IllegalArgumentException(
          "eventStore must be the dispatcher's own: its leases go into the rows that this inserts");
    }
    this.inserts = new HotInserts(eventStore, dispatcher, requireNonNull(metrics, "metrics"));
  }

  /**
   * Stores the event in the current transaction. After the commit it goes to the dispatcher's
   * memory if there is room, and otherwise waits in the database for a poller.
   *
   * <p>An event with an idempotency key that its tenant has had before is neither stored nor
   * delivered.
   *
   * @return the event's id, or that of the first event with its key
   * @throws IllegalStateException without an active transaction
   */
  public String publish(EventEnvelope event) {
    requireNonNull(event, "event");
    Connection connection = connectionOfTransaction();
    Prepared queued = inserts.path().prepareHot(event, mayVanish());
    Stored stored = inserts.insertAll(connection, List.of(queued));
    String first = stored.existing().get(event.eventId());
    if (first != null) {
      DuplicateLog.notInserted(event);
      return first;
    }
    inserts.handOverAfterCommit(txContext, stored.inserted());
    return event.eventId();
  }

  /**
   * Publishes an event whose payload the codec writes; see {@link #publish(EventEnvelope)}. Takes a
   * {@code String} or {@code byte[]} as it is.
   *
   * @return the event's id
   * @throws IllegalStateException without an active transaction, or without a codec
   */
  public String publish(String topic, Object payload) {
    return publish(topic, payload, event -> {});
  }

  /**
   * Publishes an event with more facts than its topic and payload, such as its key or its due time.
   *
   * @param facts sets them; the payload is set already
   * @return the event's id, or that of the first event with its key
   * @throws IllegalStateException without an active transaction, or without a codec
   */
  public String publish(String topic, Object payload, Consumer<EventEnvelope.Builder> facts) {
    EventEnvelope.Builder event = EventEnvelope.builder(topic).payload(payload, codec);
    facts.accept(event);
    return publish(event.build());
  }

  /**
   * As {@link #publish(EventEnvelope)} for many events, by as few statements as can be: all are
   * stored, or none.
   *
   * @return their ids in the order given; where a key was there before, the id of the first event
   *     with it
   * @throws IllegalStateException without an active transaction
   */
  public List<String> publishAll(Collection<EventEnvelope> events) {
    List<EventEnvelope> all = List.copyOf(events);
    MessageBatch batch = new MessageBatch(all);
    Connection connection = connectionOfTransaction();
    List<Prepared> queued = inserts.path().prepareHot(batch.toInsert(), mayVanish());
    Stored stored = inserts.insertAll(connection, queued);
    inserts.handOverAfterCommit(txContext, stored.inserted());
    List<Enqueued> results = batch.results(stored.existing());
    for (int i = 0; i < all.size(); i++) {
      if (results.get(i).alreadyExisted()) {
        DuplicateLog.notInserted(all.get(i));
      }
    }
    return results.stream().map(each -> each.id().value()).toList();
  }

  private Connection connectionOfTransaction() {
    if (!txContext.isTransactionActive()) {
      throw withoutTransaction();
    }
    return JoinedTransaction.of(txContext.currentConnection(), "publish");
  }

  /** Whether a savepoint may remove a row unnoticed. */
  private boolean mayVanish() {
    return !txContext.seesSavepointRollbacks();
  }

  /** The context knows how one begins, and says so when it is asked for what it does not have. */
  private IllegalStateException withoutTransaction() {
    String needed = "publish needs an active transaction: ";
    try {
      txContext.currentConnection();
    } catch (IllegalStateException e) {
      return new IllegalStateException(needed + e.getMessage(), e);
    }
    return new IllegalStateException(needed + "begin one on the TxContext given to this client");
  }
}
