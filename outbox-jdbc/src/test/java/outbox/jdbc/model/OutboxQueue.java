package outbox.jdbc.model;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxMessage;
import outbox.model.MessageId;
import outbox.model.OwnerToken;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;

/** The queue under test: an {@link Outbox} on a store for which time stands still. */
abstract class OutboxQueue implements Queue, AutoCloseable {
  private boolean deletesWhenDone;
  private Instant now = START;
  private @Nullable Outbox outbox;

  abstract ConnectionProvider connections();

  abstract LeasedEventStore storeAt(Instant now, boolean deletesWhenDone);

  abstract void clear();

  @Override
  public abstract void close();

  final void startAfresh(boolean deleting) {
    clear();
    deletesWhenDone = deleting;
    now = START;
    outbox = null;
  }

  private Outbox outbox() {
    Outbox present = outbox;
    if (present == null) {
      present =
          OutboxBuilder.of(connections(), storeAt(now, deletesWhenDone))
              .maxAttempts(MAX_ATTEMPTS)
              .maxLeaseExpiries(MAX_LEASE_EXPIRIES)
              .build();
      outbox = present;
    }
    return present;
  }

  @Override
  public final Instant tick(Duration by) {
    now = now.plus(by);
    outbox = null;
    return now;
  }

  @Override
  public final List<String> enqueue(List<Draft> drafts, Transaction transaction) {
    List<EventEnvelope> messages = drafts.stream().map(this::message).toList();
    List<Outbox.Enqueued> enqueued;
    if (transaction != Transaction.OWN) {
      enqueued = enqueueInGiven(messages, transaction == Transaction.GIVEN);
    } else if (messages.size() == 1) {
      enqueued = List.of(outbox().enqueue(messages.get(0)));
    } else {
      enqueued = outbox().enqueueAll(messages);
    }
    return enqueued.stream().map(each -> each.id().value()).toList();
  }

  private List<Outbox.Enqueued> enqueueInGiven(List<EventEnvelope> messages, boolean commit) {
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(false);
      List<Outbox.Enqueued> enqueued = outbox().enqueueAll(connection, messages);
      if (commit) {
        connection.commit();
      } else {
        connection.rollback();
      }
      return enqueued;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private EventEnvelope message(Draft draft) {
    return EventEnvelope.builder("topic")
        .eventId(draft.id())
        .payloadJson("payload of " + draft.id())
        .dueAt(draft.due() == null ? null : now.plus(draft.due()))
        .expiresAt(draft.expiry() == null ? null : now.plus(draft.expiry()))
        .build();
  }

  @Override
  public final Set<Claimed> claim(String owner, Duration lease, int batchSize) {
    return outbox().claim(new OwnerToken(owner), lease, batchSize).stream()
        .map(OutboxQueue::view)
        .collect(Collectors.toSet());
  }

  private static Claimed view(OutboxMessage message) {
    return new Claimed(
        message.id().value(),
        message.payload(),
        message.retryCount(),
        message.lastError(),
        message.lockedUntil(),
        message.createdAt(),
        message.dueTime());
  }

  @Override
  public final Set<String> ack(String owner, Collection<String> ids) {
    return values(outbox().ack(new OwnerToken(owner), messageIds(ids)));
  }

  @Override
  public final Set<String> abandon(
      String owner, Collection<String> ids, @Nullable String error, @Nullable Duration delay) {
    return values(outbox().abandon(new OwnerToken(owner), messageIds(ids), error, delay));
  }

  @Override
  public final Set<String> defer(String owner, Collection<String> ids, Duration delay) {
    return values(outbox().defer(new OwnerToken(owner), messageIds(ids), delay));
  }

  @Override
  public final Set<String> release(String owner, Collection<String> ids) {
    return values(outbox().release(new OwnerToken(owner), messageIds(ids)));
  }

  @Override
  public final Set<String> renew(String owner, Collection<String> ids, Duration lease) {
    return values(outbox().renew(new OwnerToken(owner), messageIds(ids), lease));
  }

  @Override
  public final Set<String> fail(String owner, Collection<String> ids, String error) {
    return values(outbox().fail(new OwnerToken(owner), messageIds(ids), error));
  }

  @Override
  public final int reapExpired() {
    return outbox().reapExpired();
  }

  private static List<MessageId> messageIds(Collection<String> ids) {
    return ids.stream().map(MessageId::new).toList();
  }

  private static Set<String> values(Set<MessageId> ids) {
    return ids.stream().map(MessageId::value).collect(Collectors.toCollection(TreeSet::new));
  }
}
