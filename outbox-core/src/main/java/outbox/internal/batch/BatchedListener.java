package outbox.internal.batch;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;
import outbox.BatchListener;
import outbox.Batches;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.TransactionalBatchListener;

/**
 * A batch listener in the place of a listener. The engine asks for its batches and calls its body;
 * it never calls {@link #onEvent}.
 */
public final class BatchedListener implements EventListener {
  /** Stands for every topic. */
  public static final String ALL_TOPICS = "*";

  private final Batches batches;
  private final Object named;
  private final boolean transactional;
  private final boolean ofAll;
  private final Body body;

  /** What the engine calls. */
  @FunctionalInterface
  public interface Body {
    /**
     * Handles a batch.
     *
     * @param connection of the transaction; null unless the listener is transactional
     */
    void handle(MessageBatch batch, @Nullable Connection connection) throws Exception;
  }

  private BatchedListener(
      Batches batches, Object named, boolean transactional, boolean ofAll, Body body) {
    this.batches = requireNonNull(batches, "batches");
    this.named = named;
    this.transactional = transactional;
    this.ofAll = ofAll;
    this.body = body;
  }

  public static BatchedListener of(String topic, Batches batches, BatchListener listener) {
    requireNonNull(listener, "listener");
    return new BatchedListener(
        batches, listener, false, isAll(topic), (batch, none) -> listener.onEvents(batch));
  }

  public static BatchedListener of(
      String topic, Batches batches, TransactionalBatchListener listener) {
    requireNonNull(listener, "listener");
    return new BatchedListener(
        batches,
        listener,
        true,
        isAll(topic),
        (batch, connection) -> listener.onEvents(batch, requireNonNull(connection, "connection")));
  }

  /** A listener of one topic in another form. */
  public static BatchedListener of(Batches batches, Object named, Body body) {
    return new BatchedListener(batches, named, false, false, body);
  }

  /** A transactional listener of one topic in another form. */
  public static BatchedListener ofTransactional(Batches batches, Object named, Body body) {
    return new BatchedListener(batches, named, true, false, body);
  }

  private static boolean isAll(String topic) {
    return requireNonNull(topic, "eventType").equals(ALL_TOPICS);
  }

  public Batches batches() {
    return batches;
  }

  /** What the application registered, by whose class the listener is named. */
  public Object named() {
    return named;
  }

  public boolean isTransactional() {
    return transactional;
  }

  /** Whether it is for every topic, so that a batch may mix them. */
  public boolean isOfAll() {
    return ofAll;
  }

  public Body body() {
    return body;
  }

  @Override
  public void onEvent(EventEnvelope event) {
    throw new IllegalStateException("a batch listener is called by the dispatcher, with a batch");
  }
}
