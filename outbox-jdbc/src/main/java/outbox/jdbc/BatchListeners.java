package outbox.jdbc;

import java.sql.Connection;
import java.util.List;
import outbox.BatchListener;
import outbox.Batches;
import outbox.EventBatch;
import outbox.EventListener;
import outbox.PayloadListener;
import outbox.TransactionalBatchListener;
import outbox.internal.batch.BatchedListener;

/**
 * The options of a builder of outboxes for listeners that take events in batches, from memory or
 * from the database.
 *
 * @param <B> the builder itself, which the options return
 */
interface BatchListeners<B extends BatchListeners<B>> {

  B listener(String eventType, EventListener listener);

  B listener(String eventType, String name, EventListener listener);

  /** Adds a listener that gets the events of a topic in batches. */
  default B batchListener(String eventType, Batches batches, BatchListener listener) {
    return listener(eventType, BatchedListener.of(eventType, batches, listener));
  }

  /** Adds a batch listener under a name of its own. */
  default B batchListener(String eventType, String name, Batches batches, BatchListener listener) {
    return listener(eventType, name, BatchedListener.of(eventType, batches, listener));
  }

  /** Adds a batch listener whose writes commit together with the completion of all its events. */
  default B transactionalBatchListener(
      String eventType, Batches batches, TransactionalBatchListener listener) {
    return listener(eventType, BatchedListener.of(eventType, batches, listener));
  }

  /** Adds a transactional batch listener under a name of its own. */
  default B transactionalBatchListener(
      String eventType, String name, Batches batches, TransactionalBatchListener listener) {
    return listener(eventType, name, BatchedListener.of(eventType, batches, listener));
  }

  /**
   * Adds a listener that gets every event in batches, run after those of the event's own type. A
   * batch may mix topics.
   */
  default B batchListenerOfAll(Batches batches, BatchListener listener) {
    return batchListener(BatchedListener.ALL_TOPICS, batches, listener);
  }

  /** Adds a batch listener of every event under a name of its own. */
  default B batchListenerOfAll(String name, Batches batches, BatchListener listener) {
    return batchListener(BatchedListener.ALL_TOPICS, name, batches, listener);
  }

  /**
   * Adds a listener that takes the payloads of a batch as objects. An event whose payload cannot be
   * read fails by itself, and the listener gets the others.
   *
   * @param type the class that each payload is read as
   */
  default <T> B batchListener(
      String eventType, Class<T> type, Batches batches, PayloadListener<List<T>> listener) {
    PayloadReader<T> reader = PayloadReader.of(this, type);
    return batchListener(
        eventType,
        batches,
        batch -> reader.read(batch, (payloads, rest) -> listener.handle(payloads)));
  }

  /**
   * Adds a listener that takes the payloads of a batch as objects, and the batch beside them, to
   * record the outcome of each event: the events are in the order of the payloads.
   */
  default <T> B batchListener(
      String eventType,
      Class<T> type,
      Batches batches,
      PayloadListener.With<List<T>, EventBatch> listener) {
    PayloadReader<T> reader = PayloadReader.of(this, type);
    return batchListener(eventType, batches, batch -> reader.read(batch, listener));
  }

  /**
   * Adds a listener that takes the payloads of a batch as objects, and a connection: what it writes
   * by that commits together with the completion of all events.
   */
  default <T> B transactionalBatchListener(
      String eventType,
      Class<T> type,
      Batches batches,
      PayloadListener.With<List<T>, Connection> listener) {
    PayloadReader<T> reader = PayloadReader.of(this, type);
    return transactionalBatchListener(
        eventType,
        batches,
        (batch, connection) ->
            reader.read(batch, (payloads, rest) -> listener.handle(payloads, connection)));
  }
}
