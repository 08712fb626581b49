package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import outbox.EventBatch;
import outbox.EventEnvelope;
import outbox.PayloadListener;

/**
 * Reads payloads as one class, by the codec that a builder has when it starts. Thread-safe from
 * then on.
 */
final class PayloadReader<T> {
  private final EngineSettings<?> settings;
  private final Class<T> type;

  private PayloadReader(EngineSettings<?> settings, Class<T> type) {
    this.settings = settings;
    this.type = type;
  }

  /** A reader for a builder, which needs a codec from now on. */
  static <T> PayloadReader<T> of(Object builder, Class<T> type) {
    EngineSettings<?> settings = (EngineSettings<?>) builder;
    settings.readsPayloads = true;
    return new PayloadReader<>(settings, requireNonNull(type, "type"));
  }

  T read(EventEnvelope event) {
    return settings.codec.read(event, type);
  }

  /** Reads the payloads of a batch, and hands them on; those that it cannot read have failed. */
  void read(EventBatch batch, PayloadListener.With<List<T>, EventBatch> listener) throws Exception {
    List<T> payloads = new ArrayList<>(batch.events().size());
    List<EventEnvelope> readable = new ArrayList<>(batch.events().size());
    for (EventEnvelope event : batch.events()) {
      try {
        payloads.add(read(event));
        readable.add(event);
      } catch (RuntimeException e) {
        batch.failed(event, e);
      }
    }
    if (!readable.isEmpty()) {
      listener.handle(
          Collections.unmodifiableList(payloads),
          readable.size() == batch.events().size()
              ? batch
              : new ReadableBatch(batch, List.copyOf(readable)));
    }
  }

  @SuppressWarnings("unchecked")
  T read(String payload) {
    return (T) settings.codec.read(payload, type);
  }
}
