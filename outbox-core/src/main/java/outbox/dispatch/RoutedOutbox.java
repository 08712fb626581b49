package outbox.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxMessage;
import outbox.model.MessageId;
import outbox.model.OwnerToken;
import outbox.routing.OutboxStore;
import outbox.spi.StoreException;

/** The outbox of one store among many: enqueues only, until the work queue's own is here. */
final class RoutedOutbox implements Outbox {
  private final OutboxStore store;
  private final Runnable onCommit;
  private final Runnable onUnseenCommit;

  private RoutedOutbox(OutboxStore store, Runnable onCommit, Runnable onUnseenCommit) {
    this.store = store;
    this.onCommit = onCommit;
    this.onUnseenCommit = onUnseenCommit;
  }

  /**
   * The one place that makes them.
   *
   * @param onCommit runs after the commit of something due
   * @param onUnseenCommit runs when something due was stored whose commit is not seen
   */
  static Outbox of(OutboxStore store, Runnable onCommit, Runnable onUnseenCommit) {
    return new RoutedOutbox(store, onCommit, onUnseenCommit);
  }

  @Override
  public Enqueued enqueue(
      String topic, String payload, @Nullable String correlationId, @Nullable Instant dueTime) {
    return enqueue(message(topic, payload, correlationId, dueTime));
  }

  @Override
  public Enqueued enqueue(
      Connection connection,
      String topic,
      String payload,
      @Nullable String correlationId,
      @Nullable Instant dueTime) {
    return enqueue(connection, message(topic, payload, correlationId, dueTime));
  }

  @Override
  public Enqueued enqueue(EventEnvelope message) {
    return enqueueAll(List.of(message)).get(0);
  }

  @Override
  public Enqueued enqueue(Connection connection, EventEnvelope message) {
    return enqueueAll(connection, List.of(message)).get(0);
  }

  @Override
  public List<Enqueued> enqueueAll(Collection<EventEnvelope> messages) {
    List<Enqueued> stored;
    try (Connection connection = store.applicationConnections().getConnection()) {
      connection.setAutoCommit(false);
      stored = insert(connection, messages);
      connection.commit();
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      throw new StoreException("enqueue in store " + store + ": " + e.getMessage(), e);
    }
    onCommit.run();
    return stored;
  }

  @Override
  public List<Enqueued> enqueueAll(Connection connection, Collection<EventEnvelope> messages) {
    List<Enqueued> stored = insert(connection, messages);
    onUnseenCommit.run();
    return stored;
  }

  private List<Enqueued> insert(Connection connection, Collection<EventEnvelope> messages) {
    List<Enqueued> stored = new ArrayList<>();
    for (EventEnvelope message : messages) {
      store.events().insert(connection, message, null);
      stored.add(new Enqueued(new MessageId(message.eventId())));
    }
    return stored;
  }

  private static EventEnvelope message(
      String topic, String payload, @Nullable String correlationId, @Nullable Instant dueTime) {
    return EventEnvelope.builder(topic)
        .payloadJson(payload)
        .correlationId(correlationId)
        .dueAt(dueTime)
        .build();
  }

  @Override
  public List<OutboxMessage> claim(OwnerToken owner, Duration lease, int batchSize) {
    throw unsupported();
  }

  @Override
  public Set<MessageId> ack(OwnerToken owner, Collection<MessageId> ids) {
    throw unsupported();
  }

  @Override
  public Set<MessageId> abandon(
      OwnerToken owner,
      Collection<MessageId> ids,
      @Nullable String error,
      @Nullable Duration delay) {
    throw unsupported();
  }

  @Override
  public Set<MessageId> defer(OwnerToken owner, Collection<MessageId> ids, Duration delay) {
    throw unsupported();
  }

  @Override
  public Set<MessageId> renew(OwnerToken owner, Collection<MessageId> ids, Duration lease) {
    throw unsupported();
  }

  @Override
  public Set<MessageId> fail(OwnerToken owner, Collection<MessageId> ids, String error) {
    throw unsupported();
  }

  @Override
  public int reapExpired() {
    throw unsupported();
  }

  private static UnsupportedOperationException unsupported() {
    return new UnsupportedOperationException("the dispatcher claims what is in this outbox");
  }
}
