package outbox.admin.data;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import outbox.model.EventStatus;
import outbox.model.ListenerStates;

/**
 * An event as a line of a list: what is known of it, but not what was sent.
 *
 * @param leased whether a process holds it: its lease has not expired
 * @param owner whose lease it is or, if it has expired, was; null if it has none
 * @param attempts failed deliveries since it was stored, or last replayed
 * @param availableAt from when on it may be taken; the end of the lease if it is leased; when it
 *     died if it is dead
 * @param dueAt what the sender, or an operator, asked for; null for at once
 * @param processedAt null unless it is done
 * @param errorSnippet the first {@link #SNIPPET} characters of its last error; null if it has none
 * @param listeners which of its listeners failed, and which are done
 */
public record EventRow(
    String id,
    String topic,
    @Nullable String tenant,
    @Nullable String aggregateType,
    @Nullable String aggregateId,
    @Nullable String correlationId,
    EventStatus status,
    boolean leased,
    @Nullable String owner,
    int attempts,
    Instant createdAt,
    Instant availableAt,
    @Nullable Instant dueAt,
    @Nullable Instant processedAt,
    @Nullable String errorSnippet,
    ListenerStates listeners,
    @Nullable String idempotencyKey,
    int replays) {
  /** Characters of an error that a list shows: {@value}. */
  public static final int SNIPPET = 200;

  /** When its lease ends unless it is renewed; null if it is not leased. */
  public @Nullable Instant leasedUntil() {
    return leased ? availableAt : null;
  }
}
