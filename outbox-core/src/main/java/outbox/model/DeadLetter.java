package outbox.model;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A message that has ended DEAD: it is kept, and never handed out again unless it is replayed.
 *
 * @param event the message as it is stored. Its payload is there if this one letter was asked for,
 *     and left out of lists and notices; its topic is empty if it never had one
 * @param diedAt when it ended, by the database's clock
 * @param error why; null if unknown
 * @param listeners what became of its listeners: which of them failed, and which are done
 * @param replays how often it has been replayed before
 * @param replayedAt when it was last replayed; null if never
 * @param replayedBy who did; null if it never was
 */
public record DeadLetter(
    OutboxEvent event,
    Instant diedAt,
    @Nullable String error,
    ListenerStates listeners,
    int replays,
    @Nullable Instant replayedAt,
    @Nullable String replayedBy) {

  public DeadLetter {
    requireNonNull(event, "event");
    requireNonNull(diedAt, "diedAt");
    requireNonNull(listeners, "listeners");
  }

  /** Returns the id of the message. */
  public MessageId id() {
    return new MessageId(event.eventId());
  }

  /** Returns the topic of the message. */
  public String topic() {
    return event.eventType();
  }

  /** Returns the tenant; null if it has none. */
  public @Nullable String tenantId() {
    return event.tenantId();
  }

  /** Returns the text for tracing; null if it has none. */
  public @Nullable String correlationId() {
    return event.correlationId();
  }

  /** Failed deliveries since it was stored, or last replayed. */
  public int attempts() {
    return event.attempts();
  }

  /** Returns when the message was stored. */
  public Instant createdAt() {
    return event.createdAt();
  }

  /** Where it stands in the list of all, which begins with the message that was stored last. */
  public Position position() {
    return new Position(createdAt(), event.eventId());
  }

  /** Identity, never content: payloads do not belong in a log. */
  @Override
  public String toString() {
    return "DeadLetter[" + event + " diedAt=" + diedAt + " replays=" + replays + "]";
  }

  /** A place in the list, behind which the next page begins. */
  public record Position(Instant createdAt, String eventId) {
    public Position {
      requireNonNull(createdAt, "createdAt");
      requireNonNull(eventId, "eventId");
    }
  }
}
