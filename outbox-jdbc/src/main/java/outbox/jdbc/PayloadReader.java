package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import outbox.EventEnvelope;

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

  @SuppressWarnings("unchecked")
  T read(String payload) {
    return (T) settings.codec.read(payload, type);
  }
}
