package outbox.testing.memory;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.model.EventStatus;
import outbox.model.InboxEntry;
import outbox.model.OutboxEvent;
import outbox.spi.LeasedEventStore.Lease;
import outbox.util.JsonCodec;

/**
 * A row of the {@link InMemoryInboxStore}: a message, and the event that carries it. What is seen,
 * or marked by hand, has no event type and is as little live as a dead one; the aggregate type says
 * which. Immutable.
 */
record InboxRow(StoredEvent stored) {
  private static final String SEEN = "seen";
  private static final String BY_HAND = "by hand";

  static InboxRow of(StoredEvent stored) {
    return new InboxRow(stored);
  }

  static InboxRow seen(InboxKey key, byte @Nullable [] hash, Instant now) {
    InboxMessage message =
        new InboxMessage(key, InboxStatus.SEEN, null, null, hash, 0, 1, now, now, null, null);
    OutboxEvent event = event(message, SEEN, null, null);
    return new InboxRow(
        new StoredEvent(
            event,
            EventStatus.DEAD,
            now,
            null,
            0,
            0,
            null,
            null,
            null,
            null,
            StoredEvent.Replays.NONE));
  }

  private static OutboxEvent event(
      InboxMessage message,
      @Nullable String mark,
      @Nullable String topic,
      @Nullable String payload) {
    return OutboxEvent.builder(
            InMemoryInboxStore.id(message.key()), topic == null ? "" : topic, message.firstSeen())
        .aggregateType(mark)
        .payloadJson(payload)
        .headersJson(message.headers().isEmpty() ? null : JsonCodec.toJson(message.headers()))
        .inboxEntry(
            new InboxEntry(
                message.source(),
                message.messageId(),
                message.hash(),
                message.contentVersion(),
                message.lastSeen().equals(message.firstSeen()) ? null : message.lastSeen()))
        .attempts(message.attempt())
        .occurredAt(message.firstSeen())
        .dueAt(message.dueTime())
        .build();
  }

  InboxMessage message() {
    return InboxMessage.of(stored.event(), status(), stored.lastError());
  }

  private InboxStatus status() {
    String mark = stored.event().aggregateType();
    if (mark != null) {
      return mark.equals(SEEN) ? InboxStatus.SEEN : InboxStatus.PROCESSING;
    }
    return switch (stored.status()) {
      case NEW, RETRY, WAITING -> InboxStatus.PROCESSING;
      case DONE -> InboxStatus.DONE;
      case DEAD -> InboxStatus.DEAD;
    };
  }

  @Nullable String topic() {
    String topic = stored.event().eventType();
    return topic.isEmpty() ? null : topic;
  }

  /** Whether it was seen, or marked by hand, and no more. */
  boolean lacksContent() {
    return stored.event().aggregateType() != null;
  }

  @Nullable String payload() {
    return stored.event().payloadJson();
  }

  InboxRow seenAgain(byte @Nullable [] hash, Instant now) {
    InboxMessage before = message();
    InboxMessage after = with(before, before.hash() == null ? hash : before.hash(), now);
    OutboxEvent event = event(after, stored.event().aggregateType(), topic(), payload());
    return with(event, stored.status(), stored.availableAt(), stored.owner(), stored.doneAt());
  }

  private static InboxMessage with(InboxMessage message, byte @Nullable [] hash, Instant lastSeen) {
    return new InboxMessage(
        message.key(),
        message.status(),
        null,
        null,
        hash,
        message.attempt(),
        message.contentVersion(),
        message.firstSeen(),
        lastSeen,
        message.dueTime(),
        message.lastError(),
        message.headers());
  }

  /** Gives a row without content its first one. */
  InboxRow filled(InboundMessage given, Instant now) {
    OutboxEvent event =
        event(content(message(), given, 0, now), null, given.topic(), given.payload());
    return with(event, EventStatus.NEW, latest(now, event.dueAt()), null, null).unexpired();
  }

  InboxRow leased(Lease lease, Instant now) {
    return with(
        stored.event(),
        stored.status(),
        latest(now.plus(lease.duration()), stored.event().dueAt()),
        lease.owner(),
        null);
  }

  /** Replaces the content; the holder of the old one loses the lease, which keeps its end. */
  InboxRow replaced(InboundMessage given, String noOwner, Instant now) {
    InboxMessage before = message();
    boolean same = given.topic().equals(topic()) && given.payload().equals(payload());
    boolean byHand = BY_HAND.equals(stored.event().aggregateType());
    InboxMessage after = content(before, given, same || byHand ? 0 : 1, now);
    OutboxEvent event = event(after, null, given.topic(), given.payload());
    if (byHand) {
      return with(event, EventStatus.NEW, latest(now, event.dueAt()), null, null);
    }
    String owner = stored.owner() == null || same ? stored.owner() : noOwner;
    InboxRow row = with(event, stored.status(), gate(event, now), owner, stored.doneAt());
    return same ? row : row.unexpired();
  }

  private Instant gate(OutboxEvent event, Instant now) {
    Instant gate = stored.availableAt();
    if (!stored.status().isLive() || Objects.equals(stored.event().dueAt(), event.dueAt())) {
      return gate;
    }
    boolean waits = stored.owner() == null && event.attempts() == 0 && gate.isAfter(now);
    return latest(waits ? now : gate, event.dueAt());
  }

  private static InboxMessage content(
      InboxMessage before, InboundMessage given, int change, Instant now) {
    Instant due = given.dueTime();
    return new InboxMessage(
        before.key(),
        InboxStatus.PROCESSING,
        given.topic(),
        given.payload(),
        given.hash(),
        before.attempt(),
        before.contentVersion() + change,
        before.firstSeen(),
        now,
        due == null ? null : due.truncatedTo(ChronoUnit.MICROS),
        before.lastError(),
        given.headers());
  }

  InboxRow marked(InboxStatus status, Instant now) {
    OutboxEvent event = stored.event();
    return switch (status) {
      case PROCESSING -> withMark(BY_HAND);
      case DONE -> done(now);
      case DEAD -> died(now);
      case SEEN -> throw new IllegalArgumentException("SEEN is the first status of " + event);
    };
  }

  /** One that was replayed, but has nothing to be handled. */
  InboxRow seenOnly() {
    return withMark(SEEN);
  }

  private InboxRow died(Instant now) {
    OutboxEvent event = event(message(), null, topic(), payload());
    return with(event, EventStatus.DEAD, now, null, null).counting(0, stored.leaseExpiries());
  }

  private InboxRow done(Instant now) {
    OutboxEvent event = event(message(), null, topic(), payload());
    InboxRow unmarked =
        with(event, stored.status(), stored.availableAt(), stored.owner(), stored.doneAt());
    return new InboxRow(unmarked.stored.done(now));
  }

  private InboxRow withMark(String mark) {
    OutboxEvent event = event(message(), mark, topic(), payload());
    return with(event, EventStatus.DEAD, stored.availableAt(), null, null)
        .counting(0, stored.leaseExpiries());
  }

  /** Whether one of the two holds it, with this very content. */
  boolean isHeldBy(String owner, String pinned, int contentVersion) {
    return (stored.ownedBy(owner) || stored.ownedBy(pinned))
        && message().contentVersion() == contentVersion;
  }

  InboxRow heldBy(String owner) {
    return with(stored.event(), stored.status(), stored.availableAt(), owner, stored.doneAt());
  }

  /** As if no lease had ever run out. */
  private InboxRow unexpired() {
    return counting(0, 0);
  }

  private InboxRow counting(int started, int leaseExpiries) {
    return new InboxRow(
        new StoredEvent(
            stored.event(),
            stored.status(),
            stored.availableAt(),
            stored.owner(),
            started,
            leaseExpiries,
            stored.doneAt(),
            stored.processedBy(),
            stored.lastError(),
            stored.listeners(),
            stored.replays()));
  }

  private InboxRow with(
      OutboxEvent event,
      EventStatus status,
      Instant availableAt,
      @Nullable String owner,
      @Nullable Instant doneAt) {
    return new InboxRow(
        new StoredEvent(
            event,
            status,
            availableAt,
            owner,
            stored.started(),
            stored.leaseExpiries(),
            doneAt,
            stored.processedBy(),
            stored.lastError(),
            stored.listeners(),
            stored.replays()));
  }

  private static Instant latest(Instant instant, @Nullable Instant due) {
    return due != null && due.isAfter(instant) ? due : instant;
  }
}
