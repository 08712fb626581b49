package outbox;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.Outbox.Enqueued;
import outbox.internal.text.EnvelopeRules;
import outbox.model.MessageId;

/**
 * Adds messages to an {@link Outbox} with the key that the producer knows them by: a producer that
 * adds the same twice is told so, and nothing else happens. Its transactions are those of the
 * outbox. Thread-safe.
 */
public final class OutboxWriter {
  private final Outbox outbox;

  public OutboxWriter(Outbox outbox) {
    this.outbox = requireNonNull(outbox, "outbox");
  }

  /** Adds a message that is never a duplicate; its key is its id. */
  public Enqueued add(@Nullable String tenantId, String eventType, String payload) {
    return add(tenantId, eventType, payload, null);
  }

  /**
   * Adds a message unless its tenant has one with this key.
   *
   * @param tenantId null if there is only one
   * @param key such as {@link OutboxIdempotency} makes; null for the message's own id
   * @return the message added, or the first one
   */
  public Enqueued add(
      @Nullable String tenantId, String eventType, String payload, @Nullable UUID key) {
    return outbox.enqueue(message(tenantId, eventType, payload, key));
  }

  /** As {@link #add(String, String, String, UUID)}, in the connection's transaction. */
  public Enqueued add(
      Connection connection,
      @Nullable String tenantId,
      String eventType,
      String payload,
      @Nullable UUID key) {
    return outbox.enqueue(connection, message(tenantId, eventType, payload, key));
  }

  /**
   * Adds the factory's message unless the tenant has one with this key; then the factory is not
   * asked. If another transaction adds the key meanwhile, what it made is dropped.
   *
   * @param factory makes the message, but for its tenant and its key
   * @return the message added, or the first one
   */
  public Enqueued tryAdd(
      @Nullable String tenantId, UUID key, Supplier<EventEnvelope.Builder> factory) {
    return tryAdd(tenantId, key, factory, outbox.findByKey(tenantId, text(key)), outbox::enqueue);
  }

  /** As {@link #tryAdd(String, UUID, Supplier)}, in the connection's transaction. */
  public Enqueued tryAdd(
      Connection connection,
      @Nullable String tenantId,
      UUID key,
      Supplier<EventEnvelope.Builder> factory) {
    return tryAdd(
        tenantId,
        key,
        factory,
        outbox.findByKey(connection, tenantId, text(key)),
        message -> outbox.enqueue(connection, message));
  }

  private static Enqueued tryAdd(
      @Nullable String tenantId,
      UUID key,
      Supplier<EventEnvelope.Builder> factory,
      Optional<MessageId> first,
      Function<EventEnvelope, Enqueued> enqueue) {
    requireNonNull(factory, "factory");
    return first
        .map(id -> new Enqueued(id, text(key), true))
        .orElseGet(
            () -> {
              EventEnvelope.Builder made = requireNonNull(factory.get(), "the factory's message");
              return enqueue.apply(made.tenantId(tenantId).idempotencyKey(key).build());
            });
  }

  private static EventEnvelope message(
      @Nullable String tenantId, String eventType, String payload, @Nullable UUID key) {
    return EventEnvelope.builder(EnvelopeRules.topic(eventType))
        .payloadJson(EnvelopeRules.given("payload", payload))
        .tenantId(tenantId)
        .idempotencyKey(key == null ? null : text(key))
        .build();
  }

  private static String text(UUID key) {
    return requireNonNull(key, "key").toString();
  }
}
